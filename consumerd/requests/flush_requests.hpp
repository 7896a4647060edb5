#pragma once
// Takes requests to write everything out from the control page, from the service (flush()) and from
// tools, and answers them there. Durable ones are answered when everything is synced, too.

#include <atomic>
#include <cstdint>

#include "shm-layout/control_page.hpp"

namespace ringside::consumer {

// The requests of one kind by one side.
class FlushRequest {
 public:
  // A request that an earlier consumer has not answered is still open.
  FlushRequest(const std::atomic<std::uint64_t>& requested, std::atomic<std::uint64_t>& answered)
      : requested_(requested),
        answered_(answered),
        seen_(answered.load(std::memory_order_relaxed)),
        taken_(seen_) {}

  bool is_seen() const { return seen_ != taken_; }
  void look() { seen_ = requested_.load(std::memory_order_acquire); }
  void take() { taken_ = seen_; }
  bool is_answered() const { return answered_.load(std::memory_order_relaxed) == taken_; }
  // Pairs with the acquire of the one who asked.
  void answer() { answered_.store(taken_, std::memory_order_release); }

 private:
  const std::atomic<std::uint64_t>& requested_;
  std::atomic<std::uint64_t>& answered_;
  std::uint64_t seen_;
  std::uint64_t taken_;
};

class FlushRequests {
 public:
  explicit FlushRequests(shm::ControlPage& control);

  // Whether a request has arrived since the last take(). A reader that looks at the rings after the
  // first call that returns true sees everything published before the request; later requests
  // belong to the next round.
  bool asked();

  // Everything that the last asked() covers is in the file's first `sealed` slots, in file order,
  // and these are being written. Returns whether a durable flush was asked for.
  bool take(std::uint64_t sealed);

  struct SyncState {
    bool is_synced = false;      // everything that a durable flush covers
    bool is_syncing = false;     // a sync is under way
    std::uint64_t failures = 0;  // so far, of this consumer
  };
  // Answers the requests taken: those once `written` has reached `sealed`, durable ones if
  // everything is synced.
  void answer(std::uint64_t written, const SyncState& sync);

 private:
  bool durable_is_answered() const {
    return durable_service_.is_answered() && durable_tool_.is_answered();
  }

  shm::ControlPage& control_;
  FlushRequest service_;
  FlushRequest tool_;
  FlushRequest durable_service_;
  FlushRequest durable_tool_;
  std::uint64_t sealed_ = 0;
  std::uint64_t stated_failures_ = 0;  // of this consumer, in the control page
};

}  // namespace ringside::consumer
