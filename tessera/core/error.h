// tessera::Error: the one exception type that leaves this library.
//
//   try {
//     array y = matmul(a, b);
//   } catch (const tessera::Error& e) {
//     if (e.code() == ErrorCode::shape_mismatch) report(e.what());
//   }
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace tessera {

/// What kind of failure it was; docs/errors.md lists each with its cause and cure.
enum class ErrorCode {
  invalid_argument,   ///< a parameter is outside its range
  shape_mismatch,     ///< shapes or ranks do not fit together
  unsupported_dtype,  ///< the op has no meaning for this dtype
  unsupported_op,     ///< the backend lacks a kernel and the op has no lowering
  backend_mismatch,   ///< arrays of two backends in one op
  out_of_memory,
  device_lost,
  io,          ///< the operating system refused a file operation
  bad_format,  ///< a file or text does not follow its format
  not_found,   ///< a file, tensor, token, model type or backend that does not exist
  cancelled,   ///< a stop token asked for it
  internal,    ///< a fault of this library
};

/// The code's name as written above, for example "shape_mismatch".
std::string_view to_string(ErrorCode code);

/// A failure with its code, the op or place that refused, and a sentence with the fix.
/// what() is "<where>: <message>".
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, std::string where, const std::string& message)
      : std::runtime_error(where + ": " + message), code_(code), where_(std::move(where)) {}

  ErrorCode code() const noexcept { return code_; }
  /// The op ("matmul"), file ("model.gguf") or parameter ("top_p") that refused.
  const std::string& where() const noexcept { return where_; }

 private:
  ErrorCode code_;
  std::string where_;
};

}  // namespace tessera
