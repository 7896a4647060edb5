// Writes with io_uring: several under way at once, from registered buffers where the limit on
// locked memory allows it.

#include <cerrno>
#include <liburing.h>
#include <string>
#include <vector>

#include "consumerd/block_io.hpp"
#include "consumerd/log.hpp"

namespace ringside::consumer {
namespace {

class UringIo final : public BlockIo {
 public:
  UringIo() = default;
  ~UringIo() override {
    if (ready_) io_uring_queue_exit(&ring_);
  }

  bool open(std::uint32_t slots, std::string* why) {
    const int result = io_uring_queue_init(slots * 2, &ring_, 0);
    if (result < 0) {
      *why = "io_uring is not available here (" + error_text(-result) + ")";
      if (result == -EPERM || result == -EACCES) {
        *why +=
            "; allow io_uring_setup, io_uring_enter and io_uring_register in the seccomp "
            "profile and set kernel.io_uring_disabled=0";
      } else if (result == -ENOSYS) {
        *why += "; it needs Linux 5.13 or newer and a seccomp profile that lets it through";
      } else if (result == -ENOMEM) {
        *why += "; raise the limit on locked memory (ulimit -l)";
      }
      return false;
    }
    ready_ = true;
    registered_.assign(slots, false);
    // A sparse table, filled as slots come into use: memory that is never used is never pinned.
    sparse_ = io_uring_register_buffers_sparse(&ring_, slots) == 0;
    return true;
  }

  void prepare_slot(std::uint32_t slot, std::byte* data, std::size_t bytes) override {
    if (!sparse_) return;
    const iovec buffer{data, bytes};
    // Refused beyond the limit on locked memory: those slots are written unregistered.
    registered_[slot] =
        io_uring_register_buffers_update_tag(&ring_, slot, &buffer, nullptr, 1) == 1;
  }

  bool submit(const WriteRequest& request) override {
    io_uring_sqe* const sqe = io_uring_get_sqe(&ring_);
    if (sqe == nullptr) return false;
    if (registered_[request.slot]) {
      io_uring_prep_write_fixed(sqe, request.fd, request.data, request.bytes, request.offset,
                                static_cast<int>(request.slot));
    } else {
      io_uring_prep_write(sqe, request.fd, request.data, request.bytes, request.offset);
    }
    io_uring_sqe_set_data64(sqe, request.slot);
    ++under_way_;
    flush_submissions();
    return true;
  }

  std::size_t reap(std::span<WriteCompletion> out, bool wait) override {
    flush_submissions();
    // Only what the kernel has taken can finish.
    if (wait && under_way_ > io_uring_sq_ready(&ring_) && io_uring_cq_ready(&ring_) == 0) {
      io_uring_cqe* ignored = nullptr;
      // A signal ends the wait early; the caller asks again.
      io_uring_wait_cqe(&ring_, &ignored);
    }
    std::size_t count = 0;
    io_uring_cqe* cqe = nullptr;
    while (count < out.size() && io_uring_peek_cqe(&ring_, &cqe) == 0) {
      out[count++] = {static_cast<std::uint32_t>(io_uring_cqe_get_data64(cqe)), cqe->res};
      io_uring_cqe_seen(&ring_, cqe);
      --under_way_;
    }
    return count;
  }

  const char* name() const override { return "io_uring"; }

 private:
  // What the kernel does not take now (EAGAIN, EBUSY, EINTR) stays queued for the next call.
  void flush_submissions() {
    if (io_uring_sq_ready(&ring_) > 0) io_uring_submit(&ring_);
  }

  io_uring ring_{};
  bool ready_ = false;
  bool sparse_ = false;
  std::vector<bool> registered_;
  std::uint32_t under_way_ = 0;
};

}  // namespace

std::unique_ptr<BlockIo> make_uring_io(std::uint32_t slots, std::string* why) {
  auto io = std::make_unique<UringIo>();
  if (!io->open(slots, why)) return nullptr;
  return io;
}

}  // namespace ringside::consumer
