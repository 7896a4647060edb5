// The kernel's io_uring, through liburing.

#include <cerrno>
#include <liburing.h>
#include <string>
#include <unistd.h>

#include <sys/syscall.h>

#include "consumerd/log/log.hpp"
#include "consumerd/write/write_queue.hpp"

namespace ringside::consumer {
namespace {

// In the user data of an operation: it is a sync, not a write.
constexpr std::uint64_t kSyncMark = std::uint64_t{1} << 32;

class UringQueue final : public WriteQueue {
 public:
  UringQueue() = default;
  UringQueue(const UringQueue&) = delete;
  UringQueue& operator=(const UringQueue&) = delete;
  ~UringQueue() override {
    if (ready_) io_uring_queue_exit(&ring_);
  }

  bool open(std::uint32_t slots, std::string* why) {
    const int result = io_uring_queue_init(slots + kMostSyncs, &ring_, IORING_SETUP_R_DISABLED);
    if (result < 0) {
      *why = "io_uring is not available here (" + error_text(-result) + ")";
      if (result == -EPERM || result == -EACCES) {
        *why +=
            "; allow io_uring_setup, io_uring_enter and io_uring_register in the seccomp "
            "profile and set kernel.io_uring_disabled=0";
      } else if (result == -ENOSYS) {
        *why += "; it needs Linux 5.13 or newer and a seccomp profile that allows it";
      } else if (result == -ENOMEM) {
        *why += "; raise the limit on locked memory (ulimit -l)";
      }
      return false;
    }
    ready_ = true;
    // A sparse table, filled as slots are first used: memory that is never used is never pinned.
    sparse_ = io_uring_register_buffers_sparse(&ring_, slots) == 0;
    return begin_restricted(why);
  }

  bool register_slot(std::uint32_t slot, std::byte* data, std::size_t bytes) override {
    const iovec buffer{data, bytes};
    // Refused beyond the limit on locked memory.
    return sparse_ && io_uring_register_buffers_update_tag(&ring_, slot, &buffer, nullptr, 1) == 1;
  }

  bool push(const WriteRequest& request, bool registered) override {
    io_uring_sqe* const sqe = io_uring_get_sqe(&ring_);
    if (sqe == nullptr) return false;
    if (request.operation != DiskOperation::kWrite) {
      const bool data_only = request.operation == DiskOperation::kSyncData;
      io_uring_prep_fsync(sqe, request.fd, data_only ? IORING_FSYNC_DATASYNC : 0U);
    } else if (registered) {
      io_uring_prep_write_fixed(sqe, request.fd, request.data, request.bytes, request.offset,
                                static_cast<int>(request.slot));
    } else {
      io_uring_prep_write(sqe, request.fd, request.data, request.bytes, request.offset);
    }
    const bool is_sync = request.operation != DiskOperation::kWrite;
    io_uring_sqe_set_data64(sqe, request.slot | (is_sync ? kSyncMark : 0));
    return true;
  }

  std::uint32_t unsent() const override { return io_uring_sq_ready(&ring_); }

  int submit() override { return io_uring_submit(&ring_); }

  int wait(std::chrono::milliseconds bound) override {
    if (io_uring_cq_ready(&ring_) > 0) return 0;
    __kernel_timespec limit{};
    limit.tv_sec = bound.count() / 1000;
    limit.tv_nsec = bound.count() % 1000 * 1'000'000;
    io_uring_cqe* ignored = nullptr;
    return io_uring_wait_cqe_timeout(&ring_, &ignored, &limit);
  }

  bool pop(WriteCompletion* completion) override {
    io_uring_cqe* cqe = nullptr;
    if (io_uring_peek_cqe(&ring_, &cqe) != 0) return false;
    const std::uint64_t mark = io_uring_cqe_get_data64(cqe);
    *completion = {static_cast<std::uint32_t>(mark), cqe->res, (mark & kSyncMark) != 0};
    io_uring_cqe_seen(&ring_, cqe);
    return true;
  }

 private:
  // A seccomp filter does not see the operations of a ring: from here on it can only write
  // and sync.
  bool begin_restricted(std::string* why) {
    io_uring_restriction allowed[4] = {};
    allowed[0].opcode = IORING_RESTRICTION_SQE_OP;
    allowed[0].sqe_op = IORING_OP_WRITE;
    allowed[1].opcode = IORING_RESTRICTION_SQE_OP;
    allowed[1].sqe_op = IORING_OP_WRITE_FIXED;
    allowed[2].opcode = IORING_RESTRICTION_SQE_OP;
    allowed[2].sqe_op = IORING_OP_FSYNC;
    allowed[3].opcode = IORING_RESTRICTION_REGISTER_OP;
    allowed[3].register_op = IORING_REGISTER_BUFFERS_UPDATE;
    // The library declares wrappers that its version 2.3 does not export.
    const auto ask = [this](unsigned what, void* argument, unsigned count) {
      return syscall(SYS_io_uring_register, ring_.ring_fd, what, argument, count) >= 0;
    };
    if (ask(IORING_REGISTER_RESTRICTIONS, allowed, 4) &&
        ask(IORING_REGISTER_ENABLE_RINGS, nullptr, 0)) {
      return true;
    }
    *why = "io_uring cannot be restricted here (" + error_text(errno) +
           "); it needs Linux 5.13 or newer";
    return false;
  }

  io_uring ring_{};
  bool ready_ = false;
  bool sparse_ = false;
};

}  // namespace

std::unique_ptr<WriteQueue> make_uring_queue(std::uint32_t slots, std::string* why) {
  auto queue = std::make_unique<UringQueue>();
  if (!queue->open(slots, why)) return nullptr;
  return queue;
}

}  // namespace ringside::consumer
