#pragma once
// Times as text: "2026-11-20 21:35:16.554575617".

#include <cstdint>
#include <string>

namespace ringside::tool {

class WallClockText {
 public:
  explicit WallClockText(bool utc);

  // Appends the time. Consecutive times mostly fall into the same second, whose text is kept.
  void append(std::string& out, std::uint64_t unix_ns);

 private:
  bool utc_;
  std::uint64_t second_ = UINT64_MAX;
  char text_[32] = {};  // of second_, up to and including the point
  std::size_t bytes_ = 0;
};

}  // namespace ringside::tool
