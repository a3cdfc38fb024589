#include "tessera/text/internal/jinja/strftime.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::jinja {
namespace {

constexpr std::string_view kDays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                      "Thursday", "Friday", "Saturday"};
constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};

std::string_view day_name(const std::tm& time) {
  return kDays[std::clamp(time.tm_wday, 0, 6)];
}
std::string_view month_name(const std::tm& time) {
  return kMonths[std::clamp(time.tm_mon, 0, 11)];
}

int hour_of_12(const std::tm& time) {
  return time.tm_hour % 12 == 0 ? 12 : time.tm_hour % 12;
}

/// One code's text; false for a code there is none of.
bool append_code(char code, bool plain, const std::tm& time, std::string& out) {
  const auto number = [&](int value, int width) {
    out += plain ? fmt::format("{}", value) : fmt::format("{:0{}}", value, width);
  };
  const auto again = [&](std::string_view format) { out += format_time(format, time); };
  switch (code) {
    case 'a': out += day_name(time).substr(0, 3); break;
    case 'A': out += day_name(time); break;
    case 'b':
    case 'h': out += month_name(time).substr(0, 3); break;
    case 'B': out += month_name(time); break;
    case 'c': again("%a %b %e %H:%M:%S %Y"); break;
    case 'C': number((time.tm_year + 1900) / 100, 2); break;
    case 'd': number(time.tm_mday, 2); break;
    case 'D':
    case 'x': again("%m/%d/%y"); break;
    case 'e':
      out += plain ? fmt::format("{}", time.tm_mday) : fmt::format("{:2}", time.tm_mday);
      break;
    case 'F': again("%Y-%m-%d"); break;
    case 'f': out += "000000"; break;
    case 'H': number(time.tm_hour, 2); break;
    case 'I': number(hour_of_12(time), 2); break;
    case 'j': number(time.tm_yday + 1, 3); break;
    case 'm': number(time.tm_mon + 1, 2); break;
    case 'M': number(time.tm_min, 2); break;
    case 'n': out += '\n'; break;
    case 'p': out += time.tm_hour < 12 ? "AM" : "PM"; break;
    case 'r': again("%I:%M:%S %p"); break;
    case 'R': again("%H:%M"); break;
    case 'S': number(time.tm_sec, 2); break;
    case 't': out += '\t'; break;
    case 'T':
    case 'X': again("%H:%M:%S"); break;
    case 'u': number(time.tm_wday == 0 ? 7 : time.tm_wday, 1); break;
    case 'U': number((time.tm_yday + 7 - time.tm_wday) / 7, 2); break;
    case 'w': number(time.tm_wday, 1); break;
    case 'W': number((time.tm_yday + 7 - (time.tm_wday + 6) % 7) / 7, 2); break;
    case 'y': number((time.tm_year + 1900) % 100, 2); break;
    case 'Y': number(time.tm_year + 1900, 1); break;
    case 'z':
    case 'Z': break;
    case '%': out += '%'; break;
    default: return false;
  }
  return true;
}

}  // namespace

std::string format_time(std::string_view format, const std::tm& time) {
  std::string out;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out.push_back(format[i]);
      continue;
    }
    const bool plain = i + 1 < format.size() && format[i + 1] == '-';
    const std::size_t at = i + (plain ? 2 : 1);
    if (at < format.size() && append_code(format[at], plain, time, out)) {
      i = at;
    } else {
      out.push_back('%');
    }
  }
  return out;
}

}  // namespace tessera::jinja
