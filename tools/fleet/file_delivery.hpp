#pragma once
// Takes messages from a queue into files, and acknowledges what is durable.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/fleet/contents_requests.hpp"
#include "tools/fleet/file_sink.hpp"
#include "tools/fleet/message_queue.hpp"

namespace ringside::fleet {

struct FileDeliveryOptions {
  std::uint64_t sync_ms = 500;                          // between two syncs
  std::size_t most_held_bytes = std::size_t{64} << 20;  // that came before their predecessors
  // After this time, a predecessor is looked up in the queue. A consumer of a cluster can leave
  // messages out when its leader was killed.
  std::uint64_t lookup_ms = 10'000;
  // After this time, or if the queue does not have it, a predecessor is taken to be gone: the gap
  // shows in the files.
  std::uint64_t patience_ms = 120'000;
  // Between two requests for the same contents of a dictionary that the bucket does not have.
  std::uint64_t request_ms = 5000;
};

// Not thread-safe. What it refers to must outlive it.
class FileDelivery {
 public:
  using NowMs = std::function<std::uint64_t()>;  // monotonic
  using Complain = std::function<void(const std::string&)>;

  FileDelivery(FileDeliveryOptions options, DeliveryQueue& queue, FileSink& sink, NowMs now_ms,
               Complain complain);

  // Takes what the queue has, for which it waits up to `timeout_ms`. False if the disk failed: what
  // was not acknowledged comes again to the next process.
  bool step(int timeout_ms);
  // Makes everything durable that was taken, and acknowledges it. False as above.
  bool sync();

 private:
  struct Held {
    Delivery delivery;
    std::uint64_t since_ms = 0;
    std::uint64_t next_lookup_ms = 0;
    bool allows_gap = false;
  };

  enum class Outcome : std::uint8_t { kTaken, kHeld, kPostponed, kFailed };
  Outcome take(const Delivery& delivery, bool allows_gap);
  void look_up_predecessors();
  bool take_held();
  void hold(Delivery delivery, std::uint64_t next_lookup_ms);

  const FileDeliveryOptions options_;
  DeliveryQueue& queue_;
  FileSink& sink_;
  const NowMs now_ms_;
  const Complain complain_;
  ContentsRequests requests_;
  std::vector<Held> held_;
  std::size_t held_bytes_ = 0;
  std::vector<std::uint64_t> taken_;  // tokens, not acknowledged
  std::uint64_t synced_ms_ = 0;
};

}  // namespace ringside::fleet
