#pragma once
// The seam between staging and the disk: positioned writes of staging slots, and syncs. There are
// two backends, io_uring and pwrite; tests substitute a faulty one.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "consumerd/configuration/options.hpp"

namespace ringside::consumer {

enum class DiskOperation : std::uint8_t {
  kWrite,
  kSyncData,  // fdatasync: what was written to the file before, and what is needed to read it
  kSync,      // fsync: a directory, with the names in it
};

// A write, or a sync of `fd`: that has no data, and `slot` is a number that no other sync has.
struct WriteRequest {
  int fd = -1;
  std::uint32_t slot = 0;  // index of the staging slot that contains `data`
  const std::byte* data = nullptr;
  std::uint32_t bytes = 0;
  std::uint64_t offset = 0;  // in the file
  DiskOperation operation = DiskOperation::kWrite;
};

struct WriteCompletion {
  std::uint32_t slot = 0;
  // Bytes written, perhaps fewer than requested; 0 of a sync; or -errno.
  std::int32_t result = 0;
  bool is_sync = false;
};

// Not thread-safe. At most one write per slot, and one sync per number, is under way at any time.
class BlockIo {
 public:
  virtual ~BlockIo() = default;

  // Announces that slot memory [data, data + bytes) will be used, so that the backend can prepare
  // it once instead of for each write. Called once per slot of a staging file.
  virtual void prepare_slot(std::uint32_t slot, std::byte* data, std::size_t bytes) = 0;

  // Starts an operation. False if no further one can be accepted now; try again after reap().
  virtual bool submit(const WriteRequest& request) = 0;

  // Collects finished operations into `out`. With `wait` and one under way, waits for one, but only
  // briefly: a disk may never answer. Returns the number of finished operations.
  virtual std::size_t reap(std::span<WriteCompletion> out, bool wait) = 0;

  virtual const char* name() const = 0;
};

// The chosen backend, or with `auto` the better one that works here. Returns null and a `why` that
// names the remedy on failure; if `auto` falls back, returns a backend and puts the notice into
// `why`.
std::unique_ptr<BlockIo> make_block_io(IoChoice choice, std::uint32_t slots, std::string* why);

// At most this many syncs are under way at any time.
inline constexpr std::uint32_t kMostSyncs = 15;

std::unique_ptr<BlockIo> make_uring_io(std::uint32_t slots, std::string* why);
std::unique_ptr<BlockIo> make_pwrite_io();

// Carries out an operation at once, in the calling thread.
WriteCompletion carry_out(const WriteRequest& request);

}  // namespace ringside::consumer
