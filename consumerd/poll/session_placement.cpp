#include "consumerd/poll/session_placement.hpp"

namespace ringside::consumer {
namespace {

constexpr auto kLookInterval = std::chrono::seconds(1);

}  // namespace

void SessionPlacement::follow(const std::vector<std::unique_ptr<SegmentSession>>& sessions,
                              std::chrono::steady_clock::time_point now) {
  if (!placement_.is_on() || now - looked_ < kLookInterval) return;
  looked_ = now;
  BytesByProcessor bytes;
  for (const auto& session : sessions) session->take_passed_bytes(&bytes);
  placement_.follow(bytes);
}

}  // namespace ringside::consumer
