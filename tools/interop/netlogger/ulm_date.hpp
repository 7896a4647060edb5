#pragma once
// The time of a Universal Logger Message, YYYYMMDDhhmmss[.fraction] in UTC.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace-format/text/text_sink.hpp"

namespace ringside::tool::ulm {

// Caches the previous second, because most lines have the same. Not thread-safe.
class DateReader {
 public:
  // Nanoseconds of Unix time; further digits are cut. Empty if it is not a time, or before 1678 or
  // after 2261.
  std::optional<std::int64_t> read(std::string_view text);

 private:
  std::string digits_;
  std::int64_t second_ = 0;
};

class DateWriter {
 public:
  // Six digits of the second; further digits are cut.
  void put(trace::TextSink& line, std::int64_t unix_ns);

 private:
  std::string digits_;
  std::int64_t second_ = 0;
};

}  // namespace ringside::tool::ulm
