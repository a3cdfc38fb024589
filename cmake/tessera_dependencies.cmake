# Third-party libraries; docs/dependencies.md gives the reason for each. The system's copy comes
# first; where there is none, a pinned release is fetched and built along.
include(FetchContent)
find_package(Threads REQUIRED)
find_package(PkgConfig QUIET)

# Whoever adds this project with add_subdirectory() links the library from a folder above this one,
# so what the library links must be visible there too.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)

function(tessera_fetch name url hash)
  message(STATUS "tessera: no system copy of ${name}, fetching ${url}")
  FetchContent_Declare(${name} URL ${url} URL_HASH SHA256=${hash} DOWNLOAD_EXTRACT_TIMESTAMP ON)
  FetchContent_MakeAvailable(${name})
endfunction()

# tessera_find(package target url hash): a library that installs a CMake package.
macro(tessera_find package target url hash)
  find_package(${package} QUIET)
  if(NOT TARGET ${target})
    tessera_fetch(${package} ${url} ${hash})
  endif()
endmacro()

# tessera_find_module(name module built url hash): a library that pkg-config knows, as PkgConfig::name.
# `built` is the target that its own build makes. That target cannot be part of our package.
macro(tessera_find_module name module built url hash)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(${name} QUIET IMPORTED_TARGET GLOBAL ${module})
  endif()
  if(NOT TARGET PkgConfig::${name})
    tessera_fetch(${name} ${url} ${hash})
    add_library(PkgConfig::${name} ALIAS ${built})
    if(TESSERA_INSTALL)
      message(STATUS "tessera: no install rules; they need the system's ${module}")
      set(TESSERA_INSTALL OFF)
    endif()
  endif()
endmacro()

set(FMT_INSTALL ${TESSERA_INSTALL} CACHE INTERNAL "")
tessera_find(fmt fmt::fmt
  https://github.com/fmtlib/fmt/releases/download/9.1.0/fmt-9.1.0.zip
  cceb4cb9366e18a5742128cb3524ce5f50e88b476f1e54737a47ffdf4df4c996)
tessera_find(nlohmann_json nlohmann_json::nlohmann_json
  https://github.com/nlohmann/json/releases/download/v3.11.2/json.tar.xz
  8c4b26bf4b422252e13f332bc5e388ec0ab5c3443d24399acb675e68278d341f)

# Pre-tokenizer patterns; just-in-time compiled as in Debian's copy.
set(PCRE2_SUPPORT_JIT ON CACHE INTERNAL "")
set(PCRE2_BUILD_PCRE2GREP OFF CACHE INTERNAL "")
set(PCRE2_BUILD_TESTS OFF CACHE INTERNAL "")
tessera_find_module(PCRE2 libpcre2-8 pcre2-8-static
  https://github.com/PCRE2Project/pcre2/releases/download/pcre2-10.42/pcre2-10.42.tar.bz2
  8d36cd8cb6ea2a4c2bb358ff6411b0c788633a2a45dabbf1aeb4b701d1b5e840)

# Unicode normalisation and character classes.
set(UTF8PROC_ENABLE_TESTING OFF CACHE INTERNAL "")
tessera_find_module(UTF8PROC libutf8proc utf8proc
  https://github.com/JuliaStrings/utf8proc/archive/v2.8.0.tar.gz
  a0a60a79fe6f6d54e7d411facbfcc867a6e198608f2cd992490e46f04b1bcecc)

# Downloads from a model hub; without them the library builds and pull_model() says what is missing.
if(TESSERA_HUB AND PKG_CONFIG_FOUND)
  pkg_check_modules(LIBCURL QUIET IMPORTED_TARGET GLOBAL libcurl>=7.85)
  pkg_check_modules(LIBCRYPTO QUIET IMPORTED_TARGET GLOBAL libcrypto>=1.1.1)
endif()
if(TESSERA_HUB AND NOT (TARGET PkgConfig::LIBCURL AND TARGET PkgConfig::LIBCRYPTO))
  message(STATUS "tessera: no downloads; they need libcurl 7.85 and libcrypto through pkg-config")
endif()

if(TESSERA_BUILD_CLI)
  tessera_find(CLI11 CLI11::CLI11
    https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.1.2.tar.gz
    26291377e892ba0e5b4972cdfd4a2ab3bf53af8dac1f4ea8fe0d1376b625c8cb)
  if(PKG_CONFIG_FOUND)  # without it `tessera chat` reads plain lines
    pkg_check_modules(LIBEDIT QUIET IMPORTED_TARGET libedit)
  endif()
endif()
