# Installing: the public headers, the library, the program, and a package for find_package(tessera).
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)

install(TARGETS tessera tessera_contract EXPORT tessera-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET tessera_conformance)
  install(TARGETS tessera_conformance EXPORT tessera-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/tests/goldens/ops/
    DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera/conformance)
endif()
if(TARGET tessera_cli)
  install(TARGETS tessera_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

list(TRANSFORM TESSERA_PRIVATE_FOLDERS REPLACE "(.+)" "PATTERN;\\1;EXCLUDE"
  OUTPUT_VARIABLE without_private_folders)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tessera/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def" ${without_private_folders})

install(EXPORT tessera-targets NAMESPACE tessera:: DESTINATION ${package_folder})
if(TARGET PkgConfig::LIBCURL AND TARGET PkgConfig::LIBCRYPTO)
  set(hub_dependencies "LIBCURL=libcurl LIBCRYPTO=libcrypto")
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tessera-config.cmake.in
  ${PROJECT_BINARY_DIR}/tessera-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tessera-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tessera-config.cmake
  ${PROJECT_SOURCE_DIR}/cmake/tessera_add_backend.cmake
  ${PROJECT_BINARY_DIR}/tessera-config-version.cmake DESTINATION ${package_folder})
