#include "tessera/ops/einsum.h"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/diagonal.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/einsum_plan.h"
#include "tessera/ops/matmul.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/shape.h"

namespace tessera {

namespace {

using Labels = detail::EinsumLabels;
using Label = detail::EinsumLabel;

struct Term {
  array value;
  Labels labels;
};

int place_of(const Labels& labels, Label label) {
  const auto found = std::find(labels.begin(), labels.end(), label);
  return found == labels.end() ? -1 : static_cast<int>(found - labels.begin());
}

// A label that appears twice keeps one axis, the diagonal of the two.
Term without_repeats(Term t) {
  for (std::size_t i = 0; i < t.labels.size(); ++i) {
    const auto again = std::find(t.labels.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                 t.labels.end(), t.labels[i]);
    if (again == t.labels.end()) continue;
    const Label label = t.labels[i];
    t.value = diagonal(t.value, 0, static_cast<int>(i), static_cast<int>(again - t.labels.begin()));
    t.labels.erase(again);
    t.labels.erase(t.labels.begin() + static_cast<std::ptrdiff_t>(i));
    t.labels.push_back(label);
    --i;
  }
  return t;
}

// Axes of size 1 under a label of another size, repeated.
Term at_full_size(Term t, const std::map<Label, ShapeElem>& sizes) {
  Shape shape;
  for (Label label : t.labels) shape.push_back(sizes.at(label));
  t.value = broadcast_to(t.value, shape);
  return t;
}

// Summed over the labels that neither `needed` nor `other` has.
Term summed(Term t, const std::set<Label>& needed, const Labels& other) {
  std::vector<int> axes;
  Labels kept;
  for (std::size_t i = 0; i < t.labels.size(); ++i) {
    if (needed.contains(t.labels[i]) || place_of(other, t.labels[i]) >= 0)
      kept.push_back(t.labels[i]);
    else
      axes.push_back(static_cast<int>(i));
  }
  if (!axes.empty()) t.value = sum(t.value, axes);
  t.labels = std::move(kept);
  return t;
}

// The axes in this order; labels that the term lacks become axes of size 1.
array arranged(const Term& t, const Labels& order) {
  std::vector<int> axes;
  Shape shape;
  for (Label label : order) {
    const int at = place_of(t.labels, label);
    if (at >= 0) axes.push_back(at);
    shape.push_back(at >= 0 ? t.value.shape()[at] : 1);
  }
  return reshape(transpose(t.value, axes), shape);
}

ShapeElem size_of(const Labels& labels, const std::map<Label, ShapeElem>& sizes) {
  ShapeElem size = 1;
  for (Label label : labels) size *= sizes.at(label);
  return size;
}

Labels chained(const Labels& a, const Labels& b, const Labels& c) {
  Labels all = a;
  all.insert(all.end(), b.begin(), b.end());
  all.insert(all.end(), c.begin(), c.end());
  return all;
}

Term contracted(Term a, Term b, const std::set<Label>& needed,
                const std::map<Label, ShapeElem>& sizes) {
  a = summed(std::move(a), needed, b.labels);
  b = summed(std::move(b), needed, a.labels);
  Labels batch, inner, only_a, only_b;
  for (Label label : a.labels) {
    const bool shared = place_of(b.labels, label) >= 0;
    (!shared ? only_a : needed.contains(label) ? batch : inner).push_back(label);
  }
  for (Label label : b.labels) {
    if (place_of(a.labels, label) < 0) only_b.push_back(label);
  }
  const Labels order = chained(batch, only_a, only_b);
  const bool floating =
      issubdtype(promote_types(a.value.dtype(), b.value.dtype()), Dtype::Category::inexact);
  if (inner.empty() || !floating) {
    const Labels with_inner = chained(order, inner, {});
    const array product = arranged(a, with_inner) * arranged(b, with_inner);
    std::vector<int> axes;
    for (std::size_t i = order.size(); i < with_inner.size(); ++i) axes.push_back(int(i));
    return {axes.empty() ? product : sum(product, axes), order};
  }
  const ShapeElem batches = size_of(batch, sizes), rows = size_of(only_a, sizes),
                  columns = size_of(only_b, sizes), depth = size_of(inner, sizes);
  const array left = reshape(arranged(a, chained(batch, only_a, inner)), {batches, rows, depth});
  const array right =
      reshape(arranged(b, chained(batch, inner, only_b)), {batches, depth, columns});
  Shape shape;
  for (Label label : order) shape.push_back(sizes.at(label));
  return {reshape(matmul(left, right), shape), order};
}

}  // namespace

array einsum(const std::string& subscripts, const std::vector<array>& operands) {
  const detail::EinsumTerms terms = detail::parse_einsum(subscripts, operands);
  std::vector<Term> left;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    left.push_back(without_repeats(at_full_size({operands[i], terms.inputs[i]}, terms.sizes)));
  }
  for (const std::vector<int>& step : detail::plan_einsum(terms).steps) {
    if (step.size() < 2) break;
    Term a = left[step[0]], b = left[step[1]];
    left.erase(left.begin() + step[1]);
    left.erase(left.begin() + step[0]);
    std::vector<Labels> others;
    for (const Term& t : left) others.push_back(t.labels);
    left.push_back(contracted(std::move(a), std::move(b),
                              detail::needed_labels(terms.output, others), terms.sizes));
  }
  const std::set<Label> needed(terms.output.begin(), terms.output.end());
  return arranged(summed(left.front(), needed, {}), terms.output);
}

std::pair<std::vector<std::vector<int>>, std::string> einsum_path(
    const std::string& subscripts, const std::vector<array>& operands) {
  const detail::EinsumTerms terms = detail::parse_einsum(subscripts, operands);
  const detail::EinsumPath path = detail::plan_einsum(terms);
  std::string summary = fmt::format(
      "  Complete contraction:  {}->{}\n         Naive scaling:  {}\n     Optimized scaling:  {}\n"
      "      Naive FLOP count:  {:.0f}\n  Optimized FLOP count:  {:.0f}\n",
      fmt::join(terms.texts, ","), terms.output_text, path.naive_scaling, path.largest_scaling,
      path.naive_flops, path.flops);
  return {path.steps, std::move(summary)};
}

}  // namespace tessera
