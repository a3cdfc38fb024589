#include <algorithm>
#include <cctype>

#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/einsum_plan.h"

namespace tessera::detail {

namespace {

constexpr const char* kOp = "einsum";

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// A term with `under_dots` axes in place of its "...".
EinsumLabels labels_of(const std::string& term, std::size_t under_dots) {
  EinsumLabels labels;
  bool dots = false;
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (std::isalpha(static_cast<unsigned char>(term[i]))) {
      labels.push_back(term[i]);
    } else if (!dots && term.compare(i, 3, "...") == 0) {
      for (std::size_t k = under_dots; k > 0; --k) labels.push_back(kEllipsis + int(k) - 1);
      dots = true;
      i += 2;
    } else {
      fail(ErrorCode::invalid_argument, kOp, "\"{}\" may hold letters and one \"...\"", term);
    }
  }
  return labels;
}

std::size_t letters_in(const std::string& term) {
  return static_cast<std::size_t>(std::count_if(term.begin(), term.end(), [](char c) {
    return std::isalpha(static_cast<unsigned char>(c));
  }));
}

bool has_dots(const std::string& term) {
  return term.find("...") != std::string::npos;
}

void note_sizes(EinsumTerms& terms, const EinsumLabels& labels, const array& operand) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const ShapeElem size = operand.shape()[i];
    ShapeElem& known = terms.sizes.try_emplace(labels[i], 1).first->second;
    if (known != 1 && size != 1 && known != size) {
      fail(ErrorCode::shape_mismatch, kOp, "axis {} of {} has another size than {}", i,
           describe(operand), known);
    }
    if (size != 1) known = size;
  }
}

// Letters that appear once, in order, after the axes under "...".
EinsumLabels implied_output(const EinsumTerms& terms, std::size_t under_dots) {
  std::map<EinsumLabel, int> seen;
  for (const EinsumLabels& labels : terms.inputs) {
    for (EinsumLabel label : labels) ++seen[label];
  }
  EinsumLabels output;
  for (std::size_t k = under_dots; k > 0; --k) output.push_back(kEllipsis + int(k) - 1);
  for (const auto& [label, count] : seen) {
    if (label < kEllipsis && count == 1) output.push_back(label);
  }
  return output;
}

void check_output(const EinsumTerms& terms) {
  std::set<EinsumLabel> once;
  for (EinsumLabel label : terms.output) {
    if (!terms.sizes.contains(label)) {
      fail(ErrorCode::invalid_argument, kOp, "the output \"{}\" names what no input has",
           terms.output_text);
    }
    if (!once.insert(label).second) {
      fail(ErrorCode::invalid_argument, kOp, "the output \"{}\" names an axis twice",
           terms.output_text);
    }
  }
}

double size_of(const std::set<EinsumLabel>& labels, const EinsumTerms& terms) {
  double size = 1;
  for (EinsumLabel label : labels) size *= static_cast<double>(terms.sizes.at(label));
  return size;
}

std::set<EinsumLabel> joined(const EinsumLabels& a, const EinsumLabels& b) {
  std::set<EinsumLabel> all(a.begin(), a.end());
  all.insert(b.begin(), b.end());
  return all;
}

// A multiplication per further operand, and an addition when something is summed.
double flops_of(double size, std::size_t operands, bool sums) {
  return size * static_cast<double>(std::max<std::size_t>(1, operands - 1) + (sums ? 1 : 0));
}

std::vector<EinsumLabels> without(std::vector<EinsumLabels> terms, std::size_t i, std::size_t j) {
  terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(j));
  terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i));
  return terms;
}

// Two operands, i before j, and what their contraction costs.
struct Pair {
  std::size_t i = 0, j = 0;
  std::set<EinsumLabel> loop, kept;
  double shrinks = 0;  ///< elements of both less those of the result
  double flops = 0;
};

Pair pair_of(const std::vector<EinsumLabels>& left, std::size_t i, std::size_t j,
             const EinsumTerms& terms) {
  Pair pair{i, j, joined(left[i], left[j]), {}, 0, 0};
  const std::set<EinsumLabel> needed = needed_labels(terms.output, without(left, i, j));
  for (EinsumLabel label : pair.loop) {
    if (needed.contains(label)) pair.kept.insert(label);
  }
  pair.shrinks = size_of({left[i].begin(), left[i].end()}, terms) +
                 size_of({left[j].begin(), left[j].end()}, terms) - size_of(pair.kept, terms);
  pair.flops = flops_of(size_of(pair.loop, terms), 2, pair.kept.size() < pair.loop.size());
  return pair;
}

// The pair that shrinks most, the cheapest and then the first of equals.
Pair best_pair(const std::vector<EinsumLabels>& left, const EinsumTerms& terms) {
  Pair best = pair_of(left, 0, 1, terms);
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (std::size_t j = i + 1; j < left.size(); ++j) {
      Pair pair = pair_of(left, i, j, terms);
      const bool ahead =
          pair.shrinks > best.shrinks || (pair.shrinks == best.shrinks && pair.flops < best.flops);
      if (ahead) best = std::move(pair);
    }
  }
  return best;
}

}  // namespace

EinsumTerms parse_einsum(const std::string& subscripts, const std::vector<array>& operands) {
  std::string text;
  for (char c : subscripts) {
    if (c != ' ') text += c;
  }
  EinsumTerms terms;
  const std::size_t arrow = text.find("->");
  terms.texts = split_at_commas(text.substr(0, arrow));
  if (terms.texts.size() != operands.size()) {
    fail(ErrorCode::invalid_argument, kOp, "\"{}\" has {} inputs, {} are given", subscripts,
         terms.texts.size(), operands.size());
  }
  std::size_t under_dots = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string& term = terms.texts[i];
    const std::size_t letters = letters_in(term), rank = operands[i].ndim();
    if (has_dots(term) ? letters > rank : letters != rank) {
      fail(ErrorCode::invalid_argument, kOp, "\"{}\" does not name the axes of {}", term,
           describe(operands[i]));
    }
    terms.inputs.push_back(labels_of(term, rank - letters));
    note_sizes(terms, terms.inputs.back(), operands[i]);
    under_dots = std::max(under_dots, rank - letters);
  }
  if (arrow == std::string::npos) {
    terms.output = implied_output(terms, under_dots);
    for (EinsumLabel label : terms.output) {
      if (label < kEllipsis) terms.output_text += static_cast<char>(label);
    }
  } else {
    terms.output_text = text.substr(arrow + 2);
    terms.output = labels_of(terms.output_text, under_dots);
  }
  check_output(terms);
  return terms;
}

std::set<EinsumLabel> needed_labels(const EinsumLabels& output,
                                    const std::vector<EinsumLabels>& others) {
  std::set<EinsumLabel> needed(output.begin(), output.end());
  for (const EinsumLabels& labels : others) needed.insert(labels.begin(), labels.end());
  return needed;
}

EinsumPath plan_einsum(const EinsumTerms& terms) {
  EinsumPath path;
  std::vector<EinsumLabels> left = terms.inputs;
  std::set<EinsumLabel> all;
  for (const EinsumLabels& labels : left) all.insert(labels.begin(), labels.end());
  path.naive_scaling = all.size();
  path.naive_flops = flops_of(size_of(all, terms), left.size(), all.size() > terms.output.size());
  if (left.size() == 1) {
    path.steps = {{0}};
    path.largest_scaling = path.naive_scaling;
    path.flops = path.naive_flops;
  }
  while (left.size() > 1) {
    const Pair best = best_pair(left, terms);
    path.steps.push_back({static_cast<int>(best.i), static_cast<int>(best.j)});
    path.flops += best.flops;
    path.largest_scaling = std::max(path.largest_scaling, best.loop.size());
    left = without(left, best.i, best.j);
    left.emplace_back(best.kept.begin(), best.kept.end());
  }
  return path;
}

}  // namespace tessera::detail
