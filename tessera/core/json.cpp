#include "tessera/core/internal/json.h"

#include <set>
#include <vector>

#include "tessera/core/internal/fail.h"
#include "tessera/core/internal/quote.h"

namespace tessera {

nlohmann::json parse_json(std::string_view text, const std::string& file) {
  using Event = nlohmann::json::parse_event_t;
  constexpr int kMaxDepth = 64;
  std::vector<std::set<std::string>> keys;  // of each open object or array, outermost first
  const auto check = [&](int depth, Event event, nlohmann::json& parsed) {
    switch (event) {
      case Event::object_start:
      case Event::array_start:
        if (depth >= kMaxDepth) {
          fail(ErrorCode::bad_format, file, "nests JSON more than {} levels deep", kMaxDepth);
        }
        keys.emplace_back();
        break;
      case Event::object_end:
      case Event::array_end: keys.pop_back(); break;
      case Event::key: {
        const auto& key = parsed.get_ref<const std::string&>();
        if (!keys.back().insert(key).second) {
          fail(ErrorCode::bad_format, file, "has the JSON key {} twice", quote(key));
        }
        break;
      }
      case Event::value: break;
    }
    return true;
  };
  // The JSON library takes a zero byte for the end of the text and would ignore what follows.
  if (const auto at = text.find('\0'); at != std::string_view::npos) {
    fail(ErrorCode::bad_format, file, "is not valid JSON at byte {}", at + 1);
  }
  try {
    return nlohmann::json::parse(text, check);
  } catch (const nlohmann::json::parse_error& e) {
    fail(ErrorCode::bad_format, file, "is not valid JSON at byte {}", e.byte);
  } catch (const nlohmann::json::exception&) {
    fail(ErrorCode::bad_format, file, "is not valid JSON: a number is out of range");
  }
}

}  // namespace tessera
