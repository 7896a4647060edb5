#include "tools/wall_clock_text.hpp"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>

namespace ringside::tool {

WallClockText::WallClockText(bool utc) : utc_(utc) {
  if (!utc) tzset();
}

void WallClockText::append(std::string& out, std::uint64_t unix_ns) {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  const std::uint64_t second = unix_ns / kNsPerSecond;
  if (second != second_) {
    second_ = second;
    const auto time = static_cast<time_t>(second);
    tm parts{};
    if (utc_) {
      gmtime_r(&time, &parts);
    } else {
      localtime_r(&time, &parts);
    }
    const auto end = fmt::format_to_n(text_, sizeof text_, "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.",
                                      parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                                      parts.tm_hour, parts.tm_min, parts.tm_sec);
    bytes_ = std::min(end.size, sizeof text_);
  }
  char digits[9];
  std::uint64_t rest = unix_ns % kNsPerSecond;
  for (int i = 8; i >= 0; --i, rest /= 10) digits[i] = static_cast<char>('0' + rest % 10);
  out.append(text_, bytes_);
  out.append(digits, sizeof digits);
}

}  // namespace ringside::tool
