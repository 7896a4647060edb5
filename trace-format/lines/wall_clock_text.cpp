#include "trace-format/lines/wall_clock_text.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>

#include <fmt/format.h>

namespace ringside::trace {
namespace {

// 8 decimal digits, the first in the lowest byte. The two halves are divided in parallel within one
// word, by multiplication.
std::uint64_t eight_digits(std::uint32_t number) {
  std::uint64_t x = number / 10'000 | std::uint64_t{number % 10'000} << 32;
  const std::uint64_t hundreds = (x * 10'486 >> 20) & 0x0000'007F'0000'007F;
  x = hundreds | (x - hundreds * 100) << 16;
  const std::uint64_t tens = (x * 103 >> 10) & 0x000F'000F'000F'000F;
  x = tens | (x - tens * 10) << 8;
  return x | 0x3030'3030'3030'3030;
}

}  // namespace

WallClockText::WallClockText(bool utc, char between) : utc_(utc), between_(between) {
  if (!utc) tzset();
  begin_second(0);
}

void WallClockText::begin_second(std::uint64_t unix_ns) {
  const std::uint64_t second = unix_ns / kNsPerSecond;
  second_ns_ = second * kNsPerSecond;
  const auto time = static_cast<time_t>(second);
  tm parts{};
  if (utc_) {
    gmtime_r(&time, &parts);
  } else {
    localtime_r(&time, &parts);
  }
  const auto end = fmt::format_to_n(text_, sizeof text_, "{:04}-{:02}-{:02}{}{:02}:{:02}:{:02}.",
                                    parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, between_,
                                    parts.tm_hour, parts.tm_min, parts.tm_sec);
  bytes_ = std::min(end.size, sizeof text_);
}

void WallClockText::append(TextSink& out, std::uint64_t unix_ns) {
  if (unix_ns - second_ns_ >= kNsPerSecond) [[unlikely]]
    begin_second(unix_ns);
  const auto ns = static_cast<std::uint32_t>(unix_ns - second_ns_);
  char* const text = out.reserve(sizeof text_ + 9);
  std::memcpy(text, text_, sizeof text_);
  const std::uint64_t digits = eight_digits(ns % 100'000'000);
  text[bytes_] = static_cast<char>('0' + ns / 100'000'000);
  std::memcpy(text + bytes_ + 1, &digits, sizeof digits);
  out.commit(text + bytes_ + 9);
}

}  // namespace ringside::trace
