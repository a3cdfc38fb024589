// What ops say of themselves: texts and attributes, complete or not compiled.
#include <gtest/gtest.h>

#include "tessera/ops/ops.h"

namespace tessera {
namespace {

struct Complete {
  float eps = 0.5f;
  bool keepdims = true;
  static constexpr const char* kName = "complete";
  static constexpr const char* kDoc = "Does nothing.";
  static constexpr const char* kShapes = "x -> x";
  static constexpr const char* kDtypes = "any -> the same";
  static constexpr auto kAttributes =
      std::tuple(attribute<&Complete::eps>("added"), attribute<&Complete::keepdims>("axes stay"));
  TensorSpec infer(std::span<const array> in) const { return {in[0].shape(), in[0].dtype()}; }
};
static_assert(OpStruct<Complete>);

struct WithoutTexts {
  static constexpr const char* kName = "without_texts";
  static constexpr const char* kDoc = "Does nothing.";
  TensorSpec infer(std::span<const array> in) const { return {in[0].shape(), in[0].dtype()}; }
};
static_assert(!OpStruct<WithoutTexts>);

// The second flag fits into the padding behind the first, so the size alone would not tell.
struct WithAMemberUnsaid {
  float eps = 0.5f;
  bool keepdims = true;
  bool unsaid = true;
  static constexpr const char* kName = "with_a_member_unsaid";
  static constexpr const char* kDoc = "Does nothing.";
  static constexpr const char* kShapes = "x -> x";
  static constexpr const char* kDtypes = "any -> the same";
  static constexpr auto kAttributes =
      std::tuple(attribute<&WithAMemberUnsaid::eps>("added"),
                 attribute<&WithAMemberUnsaid::keepdims>("axes stay"));
  TensorSpec infer(std::span<const array> in) const { return {in[0].shape(), in[0].dtype()}; }
};
static_assert(!OpStruct<WithAMemberUnsaid>);

struct WithoutAttributes {
  int axis = 0;
  static constexpr const char* kName = "without_attributes";
  static constexpr const char* kDoc = "Does nothing.";
  static constexpr const char* kShapes = "x -> x";
  static constexpr const char* kDtypes = "any -> the same";
  TensorSpec infer(std::span<const array> in) const { return {in[0].shape(), in[0].dtype()}; }
};
static_assert(!OpStruct<WithoutAttributes>);

std::string line(const AttributeText& a) {
  return std::string(a.name) + " " + a.type + " " + a.value;
}

std::vector<std::string> lines(const std::vector<AttributeText>& all) {
  std::vector<std::string> out;
  for (const AttributeText& a : all) out.push_back(line(a));
  return out;
}

TEST(OpTexts, NamesTypesAndValuesAreTheMembers) {
  EXPECT_EQ(lines(attributes_of(Complete{.eps = 0.25f})),
            (std::vector<std::string>{"eps float 0.25", "keepdims bool true"}));
  EXPECT_EQ(lines(attributes_of(Sum{{{0, 2}, true}})),
            (std::vector<std::string>{"axes axes [0, 2]", "keepdims bool true"}));
  EXPECT_EQ(lines(attributes_of(Cast{bfloat16})),
            (std::vector<std::string>{"dtype dtype bfloat16"}));
  EXPECT_EQ(lines(attributes_of(Reshape{{2, 3}})),
            (std::vector<std::string>{"shape sizes [2, 3]"}));
  EXPECT_EQ(lines(attributes_of(FromFp8{})), (std::vector<std::string>{"dtype dtype bfloat16"}));
  EXPECT_TRUE(attributes_of(Exp{}).empty());
}

TEST(OpTexts, EnumeratorsHaveTheirNames) {
  Fft op;
  op.kind = Fft::Kind::real_inverse;
  EXPECT_EQ(line(attributes_of(op)[2]),
            "kind forward | inverse | real_forward | real_inverse real_inverse");
  EXPECT_EQ(line(attributes_of(Pool{})[0]), "kind max | mean max");
  QuantizedMatmul quantized;
  quantized.groups.mode = QuantMode::mxfp4;
  EXPECT_EQ(attributes_of(quantized)[0].value, "mxfp4, 4, 64");
}

TEST(OpTexts, EveryOpSaysWhatItTakesAndGives) {
  for (const OpInfo* op : op_table()) {
    EXPECT_FALSE(op->doc.empty()) << op->name;
    EXPECT_EQ(op->doc.back(), '.') << op->name;
    for (const AttributeText& a : op->attributes(nullptr)) {
      EXPECT_FALSE(a.name.empty()) << op->name;
      EXPECT_FALSE(a.doc.empty()) << op->name << " " << a.name;
    }
    EXPECT_NE(op->shapes.find("->"), std::string_view::npos) << op->name;
    EXPECT_FALSE(op->dtypes.empty()) << op->name;
  }
}

}  // namespace
}  // namespace tessera
