#pragma once
// How much may be sent now, by all that share a limit.

#include <cstddef>
#include <cstdint>
#include <functional>

namespace ringside::fleet {

// What was not used of a second can be sent at once. Not thread-safe.
class Bandwidth {
 public:
  using NowMs = std::function<std::uint64_t()>;  // monotonic

  static constexpr std::uint64_t kMostBytesPerS = 1'000'000'000'000;

  // `bytes_per_s`: at most kMostBytesPerS; 0: unlimited.
  Bandwidth(std::uint64_t bytes_per_s, NowMs now_ms);

  // Whether something may be sent. A message is sent whole: what exceeds the limit is waited for
  // afterwards.
  bool may_send();
  void spend(std::size_t bytes);

 private:
  const std::int64_t bytes_per_s_;
  const NowMs now_ms_;
  std::int64_t allowance_millibytes_ =
      0;                         // a limit below 1,000 bytes earns parts of a byte in a ms
  std::uint64_t earned_ms_ = 0;  // when the allowance was last raised
};

}  // namespace ringside::fleet
