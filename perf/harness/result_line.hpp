#pragma once
// The output of a measuring program: one JSON object per line on standard output, nothing else.

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "perf/harness/spread.hpp"

namespace ringside::perf {

// Exit status of a measuring program. Every status except kOk comes with a reason on standard
// error.
inline constexpr int kExitOk = 0;
inline constexpr int kExitDoesNotCount = 1;  // invalid figures; for example, records were lost
inline constexpr int kExitUsage = 2;
inline constexpr int kExitNotPossible = 77;  // on this machine

// ResultLine("paced", "ringside", "static").with("p", "p99").print("ns", "ns", spread);
// Keys and values are plain words from our own code: nothing is escaped.
class ResultLine {
 public:
  ResultLine(std::string_view row, std::string_view subject, std::string_view message) {
    with("row", row);
    with("subject", subject);
    with("case", message);
  }

  ResultLine& with(std::string_view key, std::string_view value) {
    begin(key);
    text_ += '"';
    text_ += value;
    text_ += '"';
    return *this;
  }
  ResultLine& with(std::string_view key, const char* value) {
    return with(key, std::string_view(value));
  }
  ResultLine& with(std::string_view key, std::int64_t value) {
    begin(key);
    text_ += std::to_string(value);
    return *this;
  }

  void print(std::string_view metric, std::string_view unit, const Spread& spread) {
    with("metric", metric);
    with("unit", unit);
    number("median", spread.median);
    number("low", spread.low);
    number("high", spread.high);
    number("best", spread.best);
    with("repeats", static_cast<std::int64_t>(spread.repeats));
    std::printf("{%s}\n", text_.c_str());
    std::fflush(stdout);
  }

  // Printed instead of figures: why there are none. `reason` is plain text without quotes.
  void print_not_measured(std::string_view reason) {
    with("not_measured", reason);
    std::printf("{%s}\n", text_.c_str());
    std::fflush(stdout);
  }

 private:
  void begin(std::string_view key) {
    if (!text_.empty()) text_ += ',';
    text_ += '"';
    text_ += key;
    text_ += "\":";
  }
  void number(std::string_view key, double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.6g", value);
    begin(key);
    text_ += digits;
  }

  std::string text_;
};

// One value that does not vary from repeat to repeat, such as a size.
inline Spread exactly(double value) {
  return {value, value, value, value, 1};
}

}  // namespace ringside::perf
