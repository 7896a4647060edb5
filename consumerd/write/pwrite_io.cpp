// Writes synchronously with pwrite: for kernels and containers without io_uring.

#include <algorithm>
#include <cerrno>
#include <unistd.h>
#include <vector>

#include "consumerd/write/block_io.hpp"

namespace ringside::consumer {
namespace {

class PwriteIo final : public BlockIo {
 public:
  void prepare_slot(std::uint32_t /*slot*/, std::byte* /*data*/, std::size_t /*bytes*/) override {}

  bool submit(const WriteRequest& request) override {
    done_.push_back(carry_out(request));
    return true;
  }

  std::size_t reap(std::span<WriteCompletion> out, bool /*wait*/) override {
    const std::size_t count = std::min(out.size(), done_.size());
    std::copy_n(done_.begin(), count, out.begin());
    done_.erase(done_.begin(), done_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }

  const char* name() const override { return "pwrite"; }

 private:
  std::vector<WriteCompletion> done_;
};

ssize_t carry_out_once(const WriteRequest& request) {
  switch (request.operation) {
    case DiskOperation::kSyncData:
      return fdatasync(request.fd);
    case DiskOperation::kSync:
      return fsync(request.fd);
    case DiskOperation::kWrite:
      break;
  }
  return pwrite(request.fd, request.data, request.bytes, static_cast<off_t>(request.offset));
}

}  // namespace

WriteCompletion carry_out(const WriteRequest& request) {
  ssize_t result = 0;
  do {
    result = carry_out_once(request);
  } while (result < 0 && errno == EINTR);
  return {request.slot, result < 0 ? -errno : static_cast<std::int32_t>(result),
          request.operation != DiskOperation::kWrite};
}

std::unique_ptr<BlockIo> make_pwrite_io() {
  return std::make_unique<PwriteIo>();
}

}  // namespace ringside::consumer
