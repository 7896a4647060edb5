#include "tools/fleet/bandwidth.hpp"

#include <algorithm>
#include <utility>

namespace ringside::fleet {
namespace {

constexpr std::int64_t kSecondMs = 1000;

}  // namespace

Bandwidth::Bandwidth(std::uint64_t bytes_per_s, NowMs now_ms)
    : bytes_per_s_(static_cast<std::int64_t>(std::min(bytes_per_s, kMostBytesPerS))),
      now_ms_(std::move(now_ms)) {}

bool Bandwidth::may_send() {
  if (bytes_per_s_ == 0) return true;
  const std::uint64_t now = now_ms_();
  const auto passed_ms = static_cast<std::int64_t>(now - earned_ms_);
  earned_ms_ = now;
  // Bytes in a second are as many as thousandths of a byte in a millisecond.
  const std::int64_t second = bytes_per_s_ * kSecondMs;
  const std::int64_t missing = second - allowance_millibytes_;
  allowance_millibytes_ += passed_ms > missing / bytes_per_s_ ? missing : bytes_per_s_ * passed_ms;
  return allowance_millibytes_ > 0;
}

void Bandwidth::spend(std::size_t bytes) {
  if (bytes_per_s_ != 0) allowance_millibytes_ -= static_cast<std::int64_t>(bytes) * kSecondMs;
}

}  // namespace ringside::fleet
