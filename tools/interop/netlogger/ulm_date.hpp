#pragma once
// The time of a Universal Logger Message, YYYYMMDDhhmmss[.fraction] in UTC.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace-format/text_sink.hpp"

namespace ringside::tool::ulm {

// Remembers the second before, as most lines are of the same. Not thread-safe.
class DateReader {
 public:
  // Nanoseconds of Unix time; further digits are cut off. Empty if it is no time, or one before
  // 1678 or after 2261.
  std::optional<std::int64_t> read(std::string_view text);

 private:
  std::string digits_;
  std::int64_t second_ = 0;
};

class DateWriter {
 public:
  // With six digits of the second, further ones cut off.
  void put(trace::TextSink& line, std::int64_t unix_ns);

 private:
  std::string digits_;
  std::int64_t second_ = 0;
};

}  // namespace ringside::tool::ulm
