#pragma once
// Asks hosts for contents of dictionaries that the bucket does not have.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "tools/fleet/message_queue.hpp"

namespace ringside::fleet {

// Not thread-safe. `queue` must outlive it.
class ContentsRequests {
 public:
  using NowMs = std::function<std::uint64_t()>;  // monotonic
  using Complain = std::function<void(const std::string&)>;

  // `pause_ms`: between two requests for the same contents.
  ContentsRequests(DeliveryQueue& queue, std::uint64_t pause_ms, NowMs now_ms, Complain complain)
      : queue_(queue),
        pause_ms_(pause_ms),
        now_ms_(std::move(now_ms)),
        complain_(std::move(complain)) {}

  // `subject`: of a message that needs them. `key`: empty: nothing is known to be missing.
  void ask(const std::string& subject, const std::string& key);

 private:
  DeliveryQueue& queue_;
  const std::uint64_t pause_ms_;
  const NowMs now_ms_;
  const Complain complain_;
  std::map<std::string, std::uint64_t> asked_ms_;  // by key
};

}  // namespace ringside::fleet
