#pragma once
// The messages of a fleet as trace files in one directory, for a reader on this host, in bounded
// space.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tools/fleet/file_sink.hpp"
#include "tools/fleet/message_queue.hpp"

namespace ringside::fleet {

// Not thread-safe. What it refers to must outlive it.
class TraceSpool {
 public:
  using Complain = std::function<void(const std::string&)>;

  // `queue` delivers in the order of the stream: what comes before a first message is not there.
  // Null with `*why` if the directory cannot be used.
  static std::unique_ptr<TraceSpool> open(const std::string& directory, std::uint64_t most_bytes,
                                          DeliveryQueue& queue, Complain complain,
                                          std::string* why);

  // Takes one message, for which it waits up to `timeout_ms`. False with `*why` if reading cannot
  // go on: the disk fails, or the space is used up.
  bool step(int timeout_ms, std::string* why);

  // Whether a message waits for its dictionary, which cannot be fetched now.
  bool is_waiting() const { return waiting_.has_value(); }

 private:
  TraceSpool(std::uint64_t most_bytes, DeliveryQueue& queue, Complain complain)
      : most_bytes_(most_bytes), queue_(queue), complain_(std::move(complain)) {}

  const std::uint64_t most_bytes_;
  DeliveryQueue& queue_;
  const Complain complain_;
  std::unique_ptr<FileSink> sink_;
  std::optional<StoredMessage> waiting_;
  DeliveryQueue::Fetched last_fetch_ = DeliveryQueue::Fetched::kYes;
};

}  // namespace ringside::fleet
