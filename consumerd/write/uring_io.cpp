// Writes and syncs with io_uring: several at once, from registered buffers if the limit on locked
// memory allows it.

#include <string>
#include <utility>
#include <vector>

#include "consumerd/write/block_io.hpp"
#include "consumerd/write/write_queue.hpp"

namespace ringside::consumer {
namespace {

// A disk that does not answer must not hide that fact, nor delay a signal that came just before the
// wait.
constexpr auto kLongestWait = std::chrono::milliseconds(20);

class UringIo final : public BlockIo {
 public:
  UringIo(std::unique_ptr<WriteQueue> queue, std::uint32_t slots)
      : queue_(std::move(queue)), registered_(slots, false) {}

  void prepare_slot(std::uint32_t slot, std::byte* data, std::size_t bytes) override {
    registered_[slot] = queue_->register_slot(slot, data, bytes);
  }

  bool submit(const WriteRequest& request) override {
    const bool writes = request.operation == DiskOperation::kWrite;
    if (!queue_->push(request, writes && registered_[request.slot])) return false;
    ++under_way_;
    flush_submissions();
    return true;
  }

  std::size_t reap(std::span<WriteCompletion> out, bool wait) override {
    flush_submissions();
    std::size_t count = collect(out);
    // Only operations that the kernel has taken can finish.
    if (wait && count == 0 && under_way_ > queue_->unsent()) {
      // A signal ends the wait early; the caller tries again.
      queue_->wait(kLongestWait);
      count = collect(out);
    }
    return count;
  }

  const char* name() const override { return "io_uring"; }

 private:
  // Those that the kernel does not take now (EAGAIN, EBUSY, EINTR) stay queued for the next call.
  void flush_submissions() {
    if (queue_->unsent() > 0) queue_->submit();
  }

  std::size_t collect(std::span<WriteCompletion> out) {
    std::size_t count = 0;
    while (count < out.size() && queue_->pop(&out[count])) {
      ++count;
      --under_way_;
    }
    return count;
  }

  std::unique_ptr<WriteQueue> queue_;
  std::vector<bool> registered_;
  std::uint32_t under_way_ = 0;
};

}  // namespace

std::unique_ptr<BlockIo> make_queued_io(std::unique_ptr<WriteQueue> queue, std::uint32_t slots) {
  return std::make_unique<UringIo>(std::move(queue), slots);
}

std::unique_ptr<BlockIo> make_uring_io(std::uint32_t slots, std::string* why) {
  std::unique_ptr<WriteQueue> queue = make_uring_queue(slots, why);
  if (queue == nullptr) return nullptr;
  return make_queued_io(std::move(queue), slots);
}

}  // namespace ringside::consumer
