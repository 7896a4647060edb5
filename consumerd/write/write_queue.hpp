#pragma once
// The single operations of an io_uring that writes and syncs need. One implementation calls
// liburing; the tests' simulation refuses, delays, reorders and shortens writes, determined by a
// seed. The virtual call per operation costs nothing in comparison with the write of a staging
// slot.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "consumerd/write/block_io.hpp"

namespace ringside::consumer {

// Not thread-safe. Functions that can fail return -errno, as in liburing.
class WriteQueue {
 public:
  virtual ~WriteQueue() = default;

  // Registers the slot's memory, once. False if it is refused: its writes are then plain ones.
  virtual bool register_slot(std::uint32_t slot, std::byte* data, std::size_t bytes) = 0;

  // Puts a write or a sync into the submission queue. False if the queue is full.
  virtual bool push(const WriteRequest& request, bool registered) = 0;
  // Operations in the submission queue that the kernel has not taken yet.
  virtual std::uint32_t unsent() const = 0;
  // Submits them to the kernel. Returns how many it took, or -errno. The others stay queued.
  virtual int submit() = 0;

  // Waits until pop() has a result, at most for `bound`: 0 or -errno (-ETIME, -EINTR, ...).
  virtual int wait(std::chrono::milliseconds bound) = 0;
  // Takes a finished operation off the completion queue. False if there is none.
  virtual bool pop(WriteCompletion* completion) = 0;
};

// The kernel's io_uring, with room for `slots` writes and kMostSyncs syncs. On failure returns null
// with a `why` that names the remedy.
std::unique_ptr<WriteQueue> make_uring_queue(std::uint32_t slots, std::string* why);

// Writes and syncs through `queue`.
std::unique_ptr<BlockIo> make_queued_io(std::unique_ptr<WriteQueue> queue, std::uint32_t slots);

}  // namespace ringside::consumer
