# Precompiled headers: what a folder's files include most often is parsed once. Only headers of other
# projects are listed (a change of ours would compile everything again), and a file still includes all
# that it uses: with TESSERA_PCH=OFF, as in the debug preset and wherever this project is not the top
# one (the test Example.AddSubdirectory is such a build), each file is compiled alone.

set(TESSERA_STANDARD_HEADERS
  <algorithm> <array> <atomic> <chrono> <cmath> <complex> <cstdint> <cstring> <filesystem>
  <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <span> <string> <string_view>
  <unordered_map> <utility> <variant> <vector> <fmt/format.h>)

# ccache asks GCC for -fpch-preprocess. GCC 12 forgets which headers are the system's when they come
# precompiled, and then speaks of copies inlined from std::string that it otherwise keeps to itself
# (GCC bug 105651, fixed in 13); files compiled alone still have these two warnings.
function(tessera_precompile_flags target)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  target_compile_options(${target} PRIVATE -fpch-preprocess)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  endif()
endfunction()

# tessera_precompile(target header...)
function(tessera_precompile target)
  if(TESSERA_PCH)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    tessera_precompile_flags(${target})
  endif()
endfunction()

# tessera_share_precompiled(target from): takes the headers of a target with the same flags.
function(tessera_share_precompiled target from)
  if(TESSERA_PCH)
    target_precompile_headers(${target} REUSE_FROM ${from})
    tessera_precompile_flags(${target})
  endif()
endfunction()
