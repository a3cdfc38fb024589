// strftime in the C locale, whatever locale the host process has set.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

namespace tessera::jinja {

/// The codes of C's strftime but for the week-based years (%G %g %V); %Z and %z give nothing, as
/// for a time without a zone. A minus after the % drops leading zeros. Anything else stays.
std::string format_time(std::string_view format, const std::tm& time);

}  // namespace tessera::jinja
