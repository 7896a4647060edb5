#include "tools/interop/tptp/tptp_message.hpp"

#include <limits>

namespace ringside::tool::tptp {
namespace {

constexpr std::uint64_t kNanoseconds = 1'000'000'000;

}  // namespace

Time Time::of_ticks(std::int64_t ticks, std::uint64_t hz) {
  __extension__ using Wide = unsigned __int128;
  Time time;
  time.negative = ticks < 0;
  const auto magnitude =
      time.negative ? ~static_cast<std::uint64_t>(ticks) + 1 : static_cast<std::uint64_t>(ticks);
  time.seconds = magnitude / hz;
  time.nanoseconds = static_cast<std::uint32_t>(Wide{magnitude % hz} * kNanoseconds / hz);
  return time;
}

std::uint64_t Time::nearest_unix_ns() const {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  if (negative) return 0;
  if (seconds > kMost / kNanoseconds) return kMost;
  const std::uint64_t whole = seconds * kNanoseconds;
  return whole > kMost - nanoseconds ? kMost : whole + nanoseconds;
}

std::int64_t Time::nearest_ns() const {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::uint64_t magnitude = Time{false, seconds, nanoseconds}.nearest_unix_ns();
  const auto ns = static_cast<std::int64_t>(magnitude < kMost ? magnitude : kMost);
  return negative ? -ns : ns;
}

}  // namespace ringside::tool::tptp
