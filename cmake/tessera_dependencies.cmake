# Third-party libraries; docs/dependencies.md gives the reason for each. The system's copy comes
# first; where there is none, a pinned release is fetched.
include(FetchContent)
find_package(Threads REQUIRED)
find_package(PkgConfig)

macro(tessera_dependency package target url hash)
  find_package(${package} QUIET)
  if(NOT TARGET ${target})
    message(STATUS "tessera: no system ${package}, fetching ${url}")
    FetchContent_Declare(${package} URL ${url} URL_HASH SHA256=${hash})
    FetchContent_MakeAvailable(${package})
  endif()
endmacro()

tessera_dependency(fmt fmt::fmt
  https://github.com/fmtlib/fmt/releases/download/9.1.0/fmt-9.1.0.zip
  cceb4cb9366e18a5742128cb3524ce5f50e88b476f1e54737a47ffdf4df4c996)
tessera_dependency(nlohmann_json nlohmann_json::nlohmann_json
  https://github.com/nlohmann/json/releases/download/v3.11.2/json.tar.xz
  8c4b26bf4b422252e13f332bc5e388ec0ab5c3443d24399acb675e68278d341f)

# PCRE2 (pre-tokenizer patterns) and utf8proc (normalisation) have no CMake config in Debian.
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
