// Stands in for a libmlx that is not the one the module was built for.
namespace mlx::core {

__attribute__((visibility("default"))) const char* version();
const char* version() {
  return "0.1.2";
}

}  // namespace mlx::core
