#include "tools/interop/netlogger/ulm_date.hpp"

#include <chrono>
#include <cstddef>
#include <cstring>

#include "tools/interop/netlogger/ulm_text.hpp"

namespace ringside::tool::ulm {
namespace {

constexpr std::size_t kSecondDigits = 14;
constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr int kFirstYear = 1678;  // the first year that fits a signed number of nanoseconds
constexpr int kLastYear = 2261;

bool is_digits(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The value of decimal digits.
int value_of(std::string_view digits) {
  int number = 0;
  for (const char digit : digits) number = number * 10 + (digit - '0');
  return number;
}

std::optional<std::int64_t> second_of(std::string_view digits) {
  using namespace std::chrono;
  const int first_year = value_of(digits.substr(0, 4));
  const year_month_day date{year(first_year),
                            month(static_cast<unsigned>(value_of(digits.substr(4, 2)))),
                            day(static_cast<unsigned>(value_of(digits.substr(6, 2))))};
  const std::int64_t hour = value_of(digits.substr(8, 2));
  const std::int64_t minute = value_of(digits.substr(10, 2));
  const int second = value_of(digits.substr(12, 2));
  const bool is_time = hour < 24 && minute < 60 && second <= 60;  // 60: a leap second
  if (!date.ok() || !is_time || first_year < kFirstYear || first_year > kLastYear) {
    return std::nullopt;
  }
  const std::int64_t days = sys_days(date).time_since_epoch().count();
  return days * 86'400 + hour * 3'600 + minute * 60 + second;
}

}  // namespace

std::optional<std::int64_t> DateReader::read(std::string_view text) {
  if (text.size() < kSecondDigits) return std::nullopt;
  const std::string_view digits = text.substr(0, kSecondDigits);
  if (digits != digits_) {
    if (!is_digits(digits)) return std::nullopt;
    const auto second = second_of(digits);
    if (!second) return std::nullopt;
    digits_ = digits;
    second_ = *second;
  }
  std::string_view fraction = text.substr(kSecondDigits);
  if (fraction.empty()) return second_ * kNsPerSecond;
  if (fraction[0] != '.' || fraction.size() == 1) return std::nullopt;
  fraction.remove_prefix(1);
  if (!is_digits(fraction)) return std::nullopt;
  std::int64_t ns = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    ns = ns * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
  }
  return second_ * kNsPerSecond + ns;
}

void DateWriter::put(trace::TextSink& line, std::int64_t unix_ns) {
  std::int64_t second = unix_ns / kNsPerSecond;
  std::int64_t ns = unix_ns % kNsPerSecond;
  if (ns < 0) {
    ns += kNsPerSecond;
    --second;
  }
  if (digits_.empty() || second != second_) {
    digits_.clear();
    append_date(digits_, unix_ns);
    digits_.resize(digits_.size() - 6);  // up to the point
    second_ = second;
  }
  line.write(digits_);
  constexpr std::size_t kDigits = 6;
  char* const begin = line.reserve(kDigits);
  auto left = static_cast<unsigned>(ns / 1000);
  for (std::size_t i = kDigits; i > 0; left /= 10) begin[--i] = static_cast<char>('0' + left % 10);
  line.commit(begin + kDigits);
}

}  // namespace ringside::tool::ulm
