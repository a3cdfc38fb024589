# How folders add to the targets.

# Folders whose headers are not part of the public interface.
set(TESSERA_PRIVATE_FOLDERS internal kernels cli)

# The flags every target of the project is built with.
add_library(tessera_flags INTERFACE)
target_compile_features(tessera_flags INTERFACE cxx_std_20)
target_compile_options(tessera_flags INTERFACE -Wall -Wextra $<$<BOOL:${TESSERA_WERROR}>:-Werror>)
# GCC 12 takes the inlined concatenation of a literal and a std::string for an overlapping copy
# (GCC bug 105651, fixed in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tessera_flags INTERFACE -Wno-restrict)
endif()

# tessera_sources(file...): compiles files of the current folder into the library.
function(tessera_sources)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  target_sources(tessera PRIVATE ${ARGN})
endfunction()

# What every test is compiled with.
function(tessera_test_flags name)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE tessera tessera_flags GTest::gtest_main fmt::fmt
                                        nlohmann_json::nlohmann_json)
  target_compile_definitions(${name} PRIVATE
    TESSERA_GOLDENS="${PROJECT_SOURCE_DIR}/tests/goldens"
    TESSERA_SHARED_DATA="${PROJECT_SOURCE_DIR}/../shared/data")
endfunction()

# tessera_test(name file...): a GoogleTest program whose cases CTest runs one by one.
function(tessera_test name)
  add_executable(${name} ${ARGN})
  tessera_test_flags(${name})
  tessera_share_precompiled(${name} test_headers)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
endfunction()
