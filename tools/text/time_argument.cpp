#include "tools/text/time_argument.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>

#include <fmt/format.h>

#include "tools/text/duration.hpp"

namespace ringside::tool {
namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

// Takes parts off the front of a text. After a failure all calls fail.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : rest_(text) {}

  bool take(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Exactly `digits` digits, up to `most`.
  bool number(std::size_t digits, int most, int& value) {
    if (rest_.size() < digits) return false;
    value = 0;
    for (const char c : rest_.substr(0, digits)) {
      if (c < '0' || c > '9') return false;
      value = 10 * value + (c - '0');
    }
    rest_.remove_prefix(digits);
    return value <= most;
  }
  // Digits without a sign; false if there are none or too many.
  bool any_number(std::uint64_t& value) {
    const std::size_t before = rest_.size();
    value = 0;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      const auto digit = static_cast<std::uint64_t>(rest_.front() - '0');
      if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) return false;
      value = 10 * value + digit;
      rest_.remove_prefix(1);
    }
    return rest_.size() != before;
  }
  // [.digits] in ns; digits beyond the ninth are dropped.
  bool fraction(std::uint64_t& ns) {
    ns = 0;
    if (!take('.') && !take(',')) return true;
    std::uint64_t unit = kNsPerSecond;
    const std::size_t before = rest_.size();
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      unit /= 10;
      ns += unit * static_cast<std::uint64_t>(rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return rest_.size() != before;
  }
  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

struct WallTime {
  tm parts{};
  std::uint64_t ns = 0;
  bool has_zone = false;
  int zone_s = 0;
};

bool take_clock(Pieces& in, WallTime& time) {
  if (!in.number(2, 23, time.parts.tm_hour) || !in.take(':')) return false;
  if (!in.number(2, 59, time.parts.tm_min)) return false;
  if (!in.take(':')) return true;
  return in.number(2, 60, time.parts.tm_sec) && in.fraction(time.ns);
}

bool take_date(Pieces& in, WallTime& time) {
  int year = 0;
  int month = 0;
  if (!in.number(4, 9999, year) || !in.take('-')) return false;
  if (!in.number(2, 12, month) || month == 0 || !in.take('-')) return false;
  if (!in.number(2, 31, time.parts.tm_mday) || time.parts.tm_mday == 0) return false;
  time.parts.tm_year = year - 1900;
  time.parts.tm_mon = month - 1;
  return true;
}

bool take_zone(Pieces& in, WallTime& time) {
  if (in.empty()) return true;
  time.has_zone = true;
  if (in.take('Z') || in.take('z')) return true;
  const int sign = in.take('-') ? -1 : 1;
  if (sign == 1 && !in.take('+')) return false;
  int hours = 0;
  int minutes = 0;
  if (!in.number(2, 23, hours) || !in.take(':') || !in.number(2, 59, minutes)) return false;
  time.zone_s = sign * (hours * 3600 + minutes * 60);
  return true;
}

std::optional<std::uint64_t> unix_ns_of(WallTime& time, bool utc) {
  time.parts.tm_isdst = -1;
  const bool by_utc = utc || time.has_zone;
  const int day = time.parts.tm_mday;
  const time_t unix_s = (by_utc ? timegm(&time.parts) : mktime(&time.parts)) - time.zone_s;
  // The library turned a date such as 31 February into another day.
  if (time.parts.tm_mday != day && time.parts.tm_sec != 60) return {};
  constexpr time_t kMostSeconds = std::numeric_limits<std::uint64_t>::max() / kNsPerSecond - 1;
  if (unix_s < 0 || unix_s > kMostSeconds) return {};
  return static_cast<std::uint64_t>(unix_s) * kNsPerSecond + time.ns;
}

std::optional<std::uint64_t> wall_time(std::string_view text, std::uint64_t now_ns, bool utc) {
  WallTime time;
  if (text.size() > 2 && text[2] == ':') {
    const auto now = static_cast<time_t>(now_ns / kNsPerSecond);
    tm today{};
    if (utc) {
      gmtime_r(&now, &today);
    } else {
      localtime_r(&now, &today);
    }
    time.parts.tm_year = today.tm_year;
    time.parts.tm_mon = today.tm_mon;
    time.parts.tm_mday = today.tm_mday;
    Pieces in(text);
    if (!take_clock(in, time) || !in.empty()) return {};
    return unix_ns_of(time, utc);
  }
  Pieces in(text);
  if (!take_date(in, time)) return {};
  if (!in.empty()) {
    if (!in.take('T') && !in.take('t') && !in.take(' ')) return {};
    if (!take_clock(in, time) || !take_zone(in, time) || !in.empty()) return {};
  }
  return unix_ns_of(time, utc);
}

std::optional<std::uint64_t> unix_seconds(std::string_view text) {
  Pieces in(text);
  std::uint64_t unix_s = 0;
  std::uint64_t ns = 0;
  if (!in.any_number(unix_s) || !in.fraction(ns) || !in.empty()) return {};
  if (unix_s >= std::numeric_limits<std::uint64_t>::max() / kNsPerSecond) return {};
  return unix_s * kNsPerSecond + ns;
}

}  // namespace

std::uint64_t unix_ns_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

std::optional<std::uint64_t> parse_time(std::string_view text, std::uint64_t now_ns, bool utc,
                                        std::string* why) {
  std::optional<std::uint64_t> found;
  if (text == "now") {
    found = now_ns;
  } else if (text.starts_with('-')) {
    found = parse_duration_ns(text.substr(1));
    if (found) found = now_ns - std::min(*found, now_ns);
  } else if (text.starts_with('@')) {
    found = unix_seconds(text.substr(1));
  } else {
    found = wall_time(text, now_ns, utc);
  }
  if (!found) {
    *why = fmt::format(
        "invalid time '{}'; use 2026-11-20T21:35:16.5Z, '2026-11-20 21:35:16', 21:35 (today), -5m "
        "(5 minutes ago; ms, s, m, h, d), now or @1763674516 (Unix seconds)",
        text);
  }
  return found;
}

}  // namespace ringside::tool
