// RMSNorm layer.
#pragma once

#include "tessera/nn/module.h"
#include "tessera/ops/norm.h"

namespace tessera::nn {

/// Root mean square normalisation over the last axis, weight [D].   source  arXiv:1910.07467
class RmsNorm : public Module {
 public:
  RmsNorm(array weight, float eps) : weight_(std::move(weight)), eps_(eps) {}

  array operator()(const array& x) const { return fast::rms_norm(x, weight_.data, eps_); }
  void for_each_parameter(const std::string& prefix, Visitor visit) const override {
    visit(prefix + "weight", weight_);
  }

 private:
  Weight weight_;
  float eps_;
};

}  // namespace tessera::nn
