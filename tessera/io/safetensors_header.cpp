#include "tessera/io/internal/safetensors_header.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "tessera/core/internal/fail.h"
#include "tessera/core/internal/quote.h"

namespace tessera {
namespace {

constexpr std::string_view kMetadata = "__metadata__";
constexpr std::size_t kMaxRank = 64;

/// Receives the parser's events. The parser keeps no stack of ours and builds nothing, so nesting
/// and length cost only what the handler keeps.
class HeaderHandler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderHandler(std::string file) : file_(std::move(file)) {}

  SafetensorsHeader take() { return std::move(header_); }

  bool start_object(std::size_t) override {
    switch (state_) {
      case State::start: state_ = State::header; return true;
      case State::entry: state_ = State::fields; return true;
      case State::metadata: state_ = State::texts; return true;
      default: return start_nested("object");
    }
  }

  bool key(std::string& key) override {
    switch (state_) {
      case State::header: start_entry(key); break;
      case State::texts: text_ = &add_text(key); break;
      case State::fields: start_field(key); break;
      default: break;  // inside a value that is skipped
    }
    return true;
  }

  bool end_object() override {
    switch (state_) {
      case State::skipped: leave_skipped(); break;
      case State::header: state_ = State::end; break;
      case State::fields: finish_entry(); [[fallthrough]];
      default: state_ = State::header; break;
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (state_ != State::numbers || in_array_) return start_nested("array");
    in_array_ = true;
    return true;
  }

  bool end_array() override {
    if (state_ == State::skipped) {
      leave_skipped();
    } else {
      in_array_ = false;
      state_ = State::fields;
    }
    return true;
  }

  bool string(std::string& value) override {
    switch (state_) {
      case State::texts: *text_ = value; return true;
      case State::dtype:
        fields_.dtype = value;
        state_ = State::fields;
        return true;
      default: return scalar("string");
    }
  }

  bool number_unsigned(std::uint64_t value) override {
    if (!in_array_) return scalar("number");
    if (numbers_->size() == kMaxRank) {
      refuse("{} lists more than {} numbers", describe(), kMaxRank);
    }
    numbers_->push_back(value);
    return true;
  }

  bool null() override {
    if (state_ == State::metadata) {  // the reference implementation takes null for "none"
      state_ = State::header;
      return true;
    }
    return scalar("null");
  }

  bool boolean(bool) override { return scalar("bool"); }
  bool number_integer(std::int64_t) override { return scalar("negative number"); }
  bool number_float(double, const std::string&) override {
    return scalar("number that is no 64-bit integer");
  }
  bool binary(nlohmann::json::binary_t&) override { return scalar("binary data"); }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    refuse("is not valid JSON at byte {} of the header", position);
  }

 private:
  enum class State {
    start,     // before the header's brace
    header,    // among the names
    entry,     // at a tensor's value
    fields,    // among a tensor's fields
    dtype,     // at the value of "dtype"
    numbers,   // at or in the value of "shape" or "data_offsets"
    skipped,   // at or in the value of a field that is not ours
    metadata,  // at the value of "__metadata__"
    texts,     // among its pairs
    end,       // behind the header's brace
  };

  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
    fail(ErrorCode::bad_format, file_, format, std::forward<Args>(args)...);
  }

  /// A tensor's fields as far as they were met.
  struct Fields {
    std::optional<std::string> dtype;
    std::optional<std::vector<std::uint64_t>> shape;
    std::optional<std::vector<std::uint64_t>> data_offsets;
  };

  /// Where the parser stands, for a message.
  std::string describe() const {
    switch (state_) {
      case State::start:
      case State::header:
      case State::end: return "the header";
      case State::metadata:
      case State::texts: return std::string(kMetadata);
      default:
        return fmt::format("tensor {}{}{}", quote(name_), field_.empty() ? "" : ", field ", field_);
    }
  }

  void start_entry(const std::string& name) {
    if (!names_.insert(name).second) refuse("the name {} appears twice", quote(name));
    name_ = name;
    field_.clear();
    fields_ = {};
    state_ = name == kMetadata ? State::metadata : State::entry;
  }

  // Here and not later, so that a header of empty entries cannot pile up.
  void finish_entry() {
    field_.clear();
    const auto& [dtype, shape, offsets] = fields_;
    if (!dtype || !shape || !offsets) {
      refuse("{} lacks its {}", describe(), !dtype ? "dtype" : !shape ? "shape" : "data_offsets");
    }
    if (offsets->size() != 2) {
      refuse("{} has {} data_offsets instead of 2", describe(), offsets->size());
    }
    header_.entries.push_back({name_, *dtype, *shape, offsets->at(0), offsets->at(1)});
  }

  std::string& add_text(const std::string& key) {
    const auto [at, fresh] = header_.metadata.try_emplace(key);
    if (!fresh) refuse("{} has the key {} twice", kMetadata, quote(key));
    return at->second;
  }

  void start_field(const std::string& name) {
    field_ = name == "dtype" || name == "shape" || name == "data_offsets" ? name : quote(name);
    if (name == "dtype") {
      if (fields_.dtype) refuse("{} appears twice", describe());
      state_ = State::dtype;
    } else if (name == "shape" || name == "data_offsets") {
      auto& numbers = name == "shape" ? fields_.shape : fields_.data_offsets;
      if (numbers) refuse("{} appears twice", describe());
      numbers_ = &numbers.emplace();
      state_ = State::numbers;
    } else {
      state_ = State::skipped;
    }
  }

  /// An object or array where the schema has none: legal only inside a skipped value.
  bool start_nested(const char* what) {
    if (state_ != State::skipped) refuse("unexpected {} in {}", what, describe());
    ++skip_depth_;
    return true;
  }

  void leave_skipped() {
    if (--skip_depth_ == 0) state_ = State::fields;
  }

  /// A scalar where the schema has none.
  bool scalar(const char* what) {
    if (state_ != State::skipped) refuse("unexpected {} in {}", what, describe());
    if (skip_depth_ == 0) state_ = State::fields;
    return true;
  }

  std::string file_;
  SafetensorsHeader header_;
  std::set<std::string> names_;
  State state_ = State::start;
  std::string name_;   // the entry being read
  std::string field_;  // its current field, for messages
  Fields fields_;
  bool in_array_ = false;
  std::size_t skip_depth_ = 0;
  std::vector<std::uint64_t>* numbers_ = nullptr;  // of the current field
  std::string* text_ = nullptr;                    // of the current metadata key
};

}  // namespace

SafetensorsHeader read_safetensors_header(std::string_view json, const std::string& file) {
  if (!json.starts_with('{')) {
    fail(ErrorCode::bad_format, file, "the header is not a JSON object: it must begin with '{{'");
  }
  // The JSON library takes a zero byte for the end of the text and would ignore what follows.
  if (const auto at = json.find('\0'); at != std::string_view::npos) {
    fail(ErrorCode::bad_format, file, "is not valid JSON at byte {} of the header", at + 1);
  }
  HeaderHandler handler(file);
  nlohmann::json::sax_parse(json, &handler);
  return handler.take();
}

}  // namespace tessera
