# Installing: headers (all but internal/ folders), the library, and a package for find_package.
include(CMakePackageConfigHelpers)

install(TARGETS tessera EXPORT tessera-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tessera/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "internal" EXCLUDE
  PATTERN "kernels" EXCLUDE PATTERN "cli" EXCLUDE)
install(EXPORT tessera-targets NAMESPACE tessera:: FILE tessera-targets.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tessera-config.cmake.in
  ${PROJECT_BINARY_DIR}/tessera-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tessera-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tessera-config.cmake
  ${PROJECT_BINARY_DIR}/tessera-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
