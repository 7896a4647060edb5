#pragma once
// Times as text: "2026-11-20 21:35:16.554575617".

#include <cstddef>
#include <cstdint>

#include "trace-format/text/text_sink.hpp"

namespace ringside::trace {

// Not thread-safe: each thread needs a separate one.
class WallClockText {
 public:
  // `between` separates date and time.
  explicit WallClockText(bool utc, char between = ' ');

  // Appends the time. Consecutive times are mostly in the same second, whose text is kept.
  void append(TextSink& out, std::uint64_t unix_ns);

 private:
  static constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  void begin_second(std::uint64_t unix_ns);

  bool utc_;
  char between_;
  std::uint64_t second_ns_ = 0;  // beginning of the second of text_
  char text_[32] = {};           // up to and including the point
  std::size_t bytes_ = 0;
};

}  // namespace ringside::trace
