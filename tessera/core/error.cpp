#include "tessera/core/error.h"

namespace tessera {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::shape_mismatch: return "shape_mismatch";
    case ErrorCode::unsupported_dtype: return "unsupported_dtype";
    case ErrorCode::unsupported_op: return "unsupported_op";
    case ErrorCode::backend_mismatch: return "backend_mismatch";
    case ErrorCode::out_of_memory: return "out_of_memory";
    case ErrorCode::device_lost: return "device_lost";
    case ErrorCode::io: return "io";
    case ErrorCode::bad_format: return "bad_format";
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::cancelled: return "cancelled";
    case ErrorCode::internal: return "internal";
  }
  return "unknown";
}

}  // namespace tessera
