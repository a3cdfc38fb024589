# Precompiled headers: what a folder's files include most often is parsed once. Only headers of other
# projects are listed (a change of ours would compile everything again), and a file still includes all
# that it uses: builds with TESSERA_PCH=OFF, such as the sanitizer presets, compile each file alone.

set(TESSERA_STANDARD_HEADERS
  <algorithm> <array> <atomic> <chrono> <cmath> <complex> <cstdint> <cstring> <filesystem>
  <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <span> <string> <string_view>
  <unordered_map> <utility> <variant> <vector> <fmt/format.h>)

# tessera_precompile(target header...)
function(tessera_precompile target)
  if(NOT TESSERA_PCH)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # ccache asks for it
  endif()
endfunction()

# tessera_share_precompiled(target from): takes the headers of a target with the same flags.
function(tessera_share_precompiled target from)
  if(NOT TESSERA_PCH)
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${from})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
endfunction()
