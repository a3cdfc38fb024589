# tessera_add_backend(NAME source...): the module tessera-NAME.so, target tessera-NAME, which programs
# load as backend NAME. One source says TESSERA_BACKEND_MODULE (tessera/backend/module.h).
function(tessera_add_backend name)
  add_library(tessera-${name} MODULE ${ARGN})
  tessera_backend_properties(tessera-${name})
endfunction()

# What makes a MODULE library carry its own core: nothing of it is visible, nothing is taken from the
# program, and a function that only the whole library has is an error when the module is linked.
function(tessera_backend_properties target)
  target_link_libraries(${target} PRIVATE tessera::contract)
  set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX ".so"
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  if(NOT APPLE)
    target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL)
    if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")  # whose runtime is the program's
      target_link_options(${target} PRIVATE -Wl,--no-undefined)
    endif()
  endif()
endfunction()
