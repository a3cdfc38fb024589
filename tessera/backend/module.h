// What a backend module exports: a shared object with one backend that programs load at run time.
//
//   BackendPtr make_mine(const BackendOptions& options);
//   TESSERA_BACKEND_MODULE("mine", make_mine)     // once, in a .cpp of the module
//
// Link tessera::contract (tessera_add_backend() in CMake does): the module then carries its own
// copy of the library's core and asks nothing of the program that loads it.
// docs/writing-a-backend.md walks through one.
#pragma once

#include <cstdint>

#include "tessera/backend/backend.h"
#include "tessera/core/error.h"
#include "tessera/core/log.h"
#include "tessera/core/version.h"
#include "tessera/ops/op_hash.h"

namespace tessera {

/// Raised whenever the meaning of what crosses the boundary changes where no hash below can see it:
/// the virtual functions of Backend, or the fields of BackendModule.
inline constexpr std::uint32_t kModuleAbi = 2;

inline constexpr char kModuleMagic[8] = {'t', 'e', 's', 's', 'e', 'r', 'a', '\0'};

/// The exported symbol. magic, abi and version keep their places for ever; the rest is read only
/// when those three fit.
struct BackendModule {
  char magic[8];
  std::uint32_t abi;
  std::uint32_t reserved;
  const char* version;       ///< of Tessera's headers, "0.1.0"
  const char* toolchain;     ///< standard library and its settings
  std::uint64_t op_table;    ///< op_table_hash()
  std::uint64_t type_sizes;  ///< module_type_sizes()
  const char* name;          ///< the backend's
  BackendPtr (*make)(const BackendOptions&);
  /// The module's own set_log_callback(), so that the host's callback hears what the module logs.
  LogCallback (*set_log_callback)(LogCallback);
};

/// The standard library that types of std are laid out by. The Itanium C++ ABI is common to GCC and
/// clang, so the compiler does not count.
constexpr const char* module_toolchain() {
#if defined(_LIBCPP_VERSION)
  return "libc++";
#elif defined(_GLIBCXX_DEBUG)
  return "libstdc++ in debug mode";
#elif defined(__GLIBCXX__) && _GLIBCXX_USE_CXX11_ABI
  return "libstdc++";
#elif defined(__GLIBCXX__)
  return "libstdc++ with the strings of before 2015";
#else
  return "another standard library";
#endif
}

/// Of the types that cross the boundary, beside the ops.
constexpr std::uint64_t module_type_sizes() {
  Fingerprint f;
  for (const std::size_t size :
       {sizeof(Backend), sizeof(BackendOptions), sizeof(BackendInfo), sizeof(MemoryInfo),
        sizeof(HostTensor), sizeof(Tensor), sizeof(TensorSpec), sizeof(Shape), sizeof(OpInfo),
        sizeof(OpRef), sizeof(Error), sizeof(std::future<HostTensor>)}) {
    f.add(std::uint64_t{size});
  }
  return f.value();
}

}  // namespace tessera

/// Defines the symbol. name: a literal; make: a BackendPtr(const BackendOptions&), which may throw.
#define TESSERA_BACKEND_MODULE(name, make)                                                  \
  extern "C" {                                                                              \
  __attribute__((                                                                           \
      visibility("default"))) extern const ::tessera::BackendModule tessera_backend_module; \
  const ::tessera::BackendModule tessera_backend_module = {                                 \
      {'t', 'e', 's', 's', 'e', 'r', 'a', '\0'},                                            \
      ::tessera::kModuleAbi,                                                                \
      0,                                                                                    \
      ::tessera::kVersion,                                                                  \
      ::tessera::module_toolchain(),                                                        \
      ::tessera::op_table_hash(),                                                           \
      ::tessera::module_type_sizes(),                                                       \
      name,                                                                                 \
      make,                                                                                 \
      ::tessera::set_log_callback};                                                         \
  }
