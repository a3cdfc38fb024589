// array: a value that is either data on a backend or a recipe (an op and its inputs) not yet run.
//
//   array a({1.0f, 2.0f, 3.0f});
//   array b = exp(a) + 1.0f;      // appends two nodes, computes nothing
//   float first = b.data<float>()[0];  // evaluates
//
// Arrays are cheap to copy (one shared pointer) and free their memory with the last copy. Once
// evaluated, an array may be read, and used in graphs, by several threads at once; building or
// evaluating one graph from two threads at once needs the caller's lock.
#pragma once

#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/dtype.h"
#include "tessera/core/host_tensor.h"
#include "tessera/core/shape.h"
#include "tessera/ir/tensor.h"

namespace tessera {

struct Node;
struct ArrayState;

class array {
 public:
  /// A rank-0 array of the value.
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_same_v<T, float16_t> ||
      std::is_same_v<T, bfloat16_t> || std::is_same_v<T, complex64_t>
  explicit array(T value, Dtype dtype = dtype_of<T>)
      : array(HostTensor::from(std::span<const T>(&value, 1), Shape{}), dtype) {}

  /// A vector of the values.
  template <class T>
  array(std::initializer_list<T> values, Dtype dtype = dtype_of<T>)
      : array(HostTensor::from(std::span<const T>(values.begin(), values.size()),
                               Shape{static_cast<ShapeElem>(values.size())}),
              dtype) {}
  array(std::initializer_list<int> values) : array(values, int32) {}

  /// The values in row-major order.   errors  shape_mismatch when their number is not the shape's
  template <class T>
  array(std::initializer_list<T> values, Shape shape, Dtype dtype = dtype_of<T>)
      : array(HostTensor::from(std::span<const T>(values.begin(), values.size()), std::move(shape)),
              dtype) {}
  template <class T>
  array(std::span<const T> values, Shape shape, Dtype dtype = dtype_of<T>)
      : array(HostTensor::from(values, std::move(shape)), dtype) {}

  /// The host tensor's bytes, shared when the backend can use host memory.
  /// backend: nullptr takes the calling thread's current backend.
  explicit array(HostTensor host, BackendPtr backend = nullptr);

  /// An evaluated array over a backend's tensor.
  array(TensorPtr tensor, BackendPtr backend);

  /// Output of a node that has not run; used by ops through apply().
  array(TensorSpec spec, BackendPtr backend, std::shared_ptr<Node> node);

  const Shape& shape() const;
  /// Size along an axis, negative ones counted from the end.   errors  invalid_argument
  ShapeElem shape(int axis) const;
  std::size_t ndim() const { return shape().size(); }
  std::int64_t size() const { return num_elements(shape()); }
  Dtype dtype() const;
  std::size_t itemsize() const { return dtype().size(); }
  /// Of its elements, whether or not they are in memory.
  std::size_t nbytes() const { return static_cast<std::size_t>(size()) * itemsize(); }
  const BackendPtr& backend() const;

  /// Computes the value now if it is still a recipe.   errors  whatever the ops meet
  void eval() const;
  bool is_available() const;

  /// The only element.   errors  invalid_argument when size() is not 1; unsupported_dtype
  template <class T>
  T item() const {
    check_single();
    return to_host().template values<T>()[0];
  }

  /// The elements in row-major order, evaluated; valid while this array (or a copy) lives.
  template <class T>
  const T* data() const {
    return to_host().template values<T>().data();
  }

  /// The elements on the host, evaluated. Kept with the array, so a second call is free.
  /// errors  those of eval(); out_of_memory
  const HostTensor& to_host() const;

  /// The array that a state belongs to.
  explicit array(std::shared_ptr<ArrayState> state) : state_(std::move(state)) {}

  /// Identity: equal for copies of one array.
  const void* id() const { return state_.get(); }
  ArrayState& state() const { return *state_; }
  const std::shared_ptr<ArrayState>& state_ptr() const { return state_; }

 private:
  array(HostTensor host, Dtype dtype);  // converts to dtype
  void check_single() const;

  std::shared_ptr<ArrayState> state_;
};

/// Evaluates several arrays in one walk over their graph.
void eval(const std::vector<array>& outputs);
template <class... Arrays>
requires(std::is_same_v<std::remove_cvref_t<Arrays>, array>&&...) void eval(
    const Arrays&... outputs) {
  eval(std::vector<array>{outputs...});
}

/// "array([1, 2, 3], dtype=int32)": evaluates; long axes are abbreviated as in MLX.
std::ostream& operator<<(std::ostream& out, const array& a);

/// The backend that creation ops of this thread use: the innermost BackendScope's, else cpu.
BackendPtr current_backend();

}  // namespace tessera
