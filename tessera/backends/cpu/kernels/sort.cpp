// Sort, partition and search. Every element becomes an unsigned key that orders as the op says (-0
// as 0, NaN last), and a key with its index an item; items are distinct, so any sort of them is
// stable.
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "tessera/backends/cpu/kernel.h"
#include "tessera/ops/sort.h"

namespace tessera::cpu {

namespace {

template <std::size_t kBytes>
using Bits = std::conditional_t<
    kBytes == 1, std::uint8_t,
    std::conditional_t<kBytes == 2, std::uint16_t,
                       std::conditional_t<kBytes == 4, std::uint32_t, std::uint64_t>>>;

template <class T>
Bits<sizeof(T)> order_key(T x) {
  using Key = Bits<sizeof(T)>;
  constexpr Key kSign = Key(Key(1) << (8 * sizeof(T) - 1));
  const Key bits = std::bit_cast<Key>(x);
  if constexpr (is_half<T> || std::is_floating_point_v<T>) {
    const auto value = static_cast<Compute<T>>(x);
    if (value != value) return Key(~Key(0));
    if (value == 0) return kSign;
    return Key(bits & kSign ? ~bits : bits | kSign);
  } else if constexpr (std::is_signed_v<T>) {
    return Key(bits ^ kSign);
  } else {
    return bits;
  }
}

// A key of up to 32 bits above its index.
struct NarrowItem {
  std::uint64_t bits;
  NarrowItem() = default;
  NarrowItem(std::uint32_t key, std::uint32_t index) : bits(std::uint64_t(key) << 32 | index) {}
  std::uint32_t key() const { return static_cast<std::uint32_t>(bits >> 32); }
  std::uint32_t index() const { return static_cast<std::uint32_t>(bits); }
  friend bool operator<(NarrowItem a, NarrowItem b) { return a.bits < b.bits; }
};

struct WideItem {
  std::uint64_t bits;
  std::uint32_t at;
  std::uint32_t index() const { return at; }
  friend bool operator<(const WideItem& a, const WideItem& b) {
    return a.bits != b.bits ? a.bits < b.bits : a.at < b.at;
  }
};

template <class T>
using Item = std::conditional_t<(sizeof(T) <= 4), NarrowItem, WideItem>;

// Items that stand in the order of their indices, by the bytes of their keys from the lowest up.
template <int kKeyBytes>
void radix_sort(std::vector<NarrowItem>& items, std::vector<NarrowItem>& scratch) {
  std::array<std::array<std::size_t, 256>, kKeyBytes> counts{};
  for (const NarrowItem& item : items) {
    for (int b = 0; b < kKeyBytes; ++b) ++counts[b][item.key() >> (8 * b) & 255];
  }
  scratch.resize(items.size());
  for (int b = 0; b < kKeyBytes; ++b) {
    const auto byte = [b](const NarrowItem& item) { return item.key() >> (8 * b) & 255; };
    if (counts[b][byte(items[0])] == items.size()) continue;  // all the same
    std::size_t start = 0;
    for (std::size_t& count : counts[b]) start += std::exchange(count, start);
    for (const NarrowItem& item : items) scratch[counts[b][byte(item)]++] = item;
    items.swap(scratch);
  }
}

template <class T>
void sort_items(std::vector<Item<T>>& items, std::vector<Item<T>>& scratch) {
  constexpr std::size_t kRadixPays = 512;
  if constexpr (sizeof(T) <= 4) {
    if (items.size() >= kRadixPays) return radix_sort<sizeof(T)>(items, scratch);
  }
  std::sort(items.begin(), items.end());
}

struct FullSort {
  template <class T>
  void arrange(std::vector<Item<T>>& items, std::vector<Item<T>>& scratch) const {
    sort_items<T>(items, scratch);
  }
};
struct UpToKth {
  ShapeElem kth;
  template <class T>
  void arrange(std::vector<Item<T>>& items, std::vector<Item<T>>&) const {
    std::nth_element(items.begin(), items.begin() + kth, items.end());
  }
};

// Each line along the axis as items, arranged; out come their indices or the elements themselves.
template <class T, bool kIndices, class How>
void arrange_lines(Context& ctx, const CpuTensor& x, CpuTensor& y, int axis, How how) {
  using Out = std::conditional_t<kIndices, std::uint32_t, T>;
  const Shape& shape = x.shape();
  const std::int64_t count = shape[axis];
  const std::int64_t x_step = x.strides()[axis];
  const std::int64_t y_step = y.strides()[axis];
  constexpr std::int64_t kGrain = 4096;
  ctx.pool.parallel_for(
      x.size() / count, 1 + kGrain / count, [&](std::int64_t begin, std::int64_t end) {
        std::vector<Item<T>> items(count), scratch;
        for (std::int64_t line = begin; line < end; ++line) {
          const T* from = x.data<T>();
          Out* to = y.data<Out>();
          std::int64_t rest = line;
          for (std::size_t i = shape.size(); i-- > 0;) {
            if (static_cast<int>(i) == axis) continue;
            from += rest % shape[i] * x.strides()[i];
            to += rest % shape[i] * y.strides()[i];
            rest /= shape[i];
          }
          for (std::int64_t i = 0; i < count; ++i) {
            items[i] = Item<T>{order_key(from[i * x_step]), static_cast<std::uint32_t>(i)};
          }
          how.template arrange<T>(items, scratch);
          for (std::int64_t i = 0; i < count; ++i) {
            if constexpr (kIndices) {
              to[i * y_step] = items[i].index();
            } else {
              to[i * y_step] = from[items[i].index() * x_step];
            }
          }
        }
      });
}

template <bool kIndices, class How>
TensorPtr arranged(Context& ctx, Inputs in, const TensorSpec& out, int axis, How how) {
  const CpuTensor& x = as_cpu(in[0]);
  CpuTensorPtr y = ctx.make(out);
  if (y->size() == 0) return y;
  dispatch(x.dtype(), [&]<class T>() {
    if constexpr (!is_complex<T>) arrange_lines<T, kIndices>(ctx, x, *y, axis, how);
  });
  return y;
}

TensorPtr sort_kernel(Context& ctx, const Sort& op, Inputs in, const TensorSpec& out) {
  return arranged<false>(ctx, in, out, op.axis, FullSort{});
}
TensorPtr argsort_kernel(Context& ctx, const ArgSort& op, Inputs in, const TensorSpec& out) {
  return arranged<true>(ctx, in, out, op.axis, FullSort{});
}
TensorPtr partition_kernel(Context& ctx, const Partition& op, Inputs in, const TensorSpec& out) {
  return arranged<false>(ctx, in, out, op.axis, UpToKth{op.kth});
}
TensorPtr argpartition_kernel(Context& ctx, const ArgPartition& op, Inputs in,
                              const TensorSpec& out) {
  return arranged<true>(ctx, in, out, op.axis, UpToKth{op.kth});
}

TensorPtr searchsorted_kernel(Context& ctx, const SearchSorted& op, Inputs in,
                              const TensorSpec& out) {
  const CpuTensorPtr sorted = ctx.contiguous(in[0]);
  const CpuTensorPtr values = ctx.contiguous(in[1]);
  CpuTensorPtr y = ctx.make(out);
  dispatch(sorted->dtype(), [&]<class T>() {
    if constexpr (!is_complex<T>) {
      const std::span<const T> elements(sorted->data<T>(), sorted->size());
      const T* value = values->data<T>();
      std::uint32_t* count = y->data<std::uint32_t>();
      ctx.pool.parallel_for(y->size(), 512, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const auto key = order_key(value[i]);
          const auto past = std::partition_point(elements.begin(), elements.end(), [&](T element) {
            return op.right ? order_key(element) <= key : order_key(element) < key;
          });
          count[i] = static_cast<std::uint32_t>(past - elements.begin());
        }
      });
    }
  });
  return y;
}

}  // namespace

void register_sort(KernelRegistry& table) {
  table.add<Sort, sort_kernel>();
  table.add<ArgSort, argsort_kernel>();
  table.add<Partition, partition_kernel>();
  table.add<ArgPartition, argpartition_kernel>();
  table.add<SearchSorted, searchsorted_kernel>();
}

}  // namespace tessera::cpu
