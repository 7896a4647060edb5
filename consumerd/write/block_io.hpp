#pragma once
// The seam between staging and the disk: positioned writes of staging slots. There are two
// backends, io_uring and pwrite; tests substitute a faulty one.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "consumerd/configuration/options.hpp"

namespace ringside::consumer {

struct WriteRequest {
  int fd = -1;
  std::uint32_t slot = 0;  // index of the staging slot that contains `data`
  const std::byte* data = nullptr;
  std::uint32_t bytes = 0;
  std::uint64_t offset = 0;  // in the file
};

struct WriteCompletion {
  std::uint32_t slot = 0;
  std::int32_t result = 0;  // bytes written, perhaps fewer than requested, or -errno
};

// Not thread-safe. At most one write per slot is under way at any time.
class BlockIo {
 public:
  virtual ~BlockIo() = default;

  // Announces that slot memory [data, data + bytes) will be used, so that the backend can prepare
  // it once instead of for each write. Called once per slot of a staging file.
  virtual void prepare_slot(std::uint32_t slot, std::byte* data, std::size_t bytes) = 0;

  // Starts a write. False if no further write can be accepted now; try again after reap().
  virtual bool submit(const WriteRequest& request) = 0;

  // Collects finished writes into `out`. With `wait` and a write under way, waits for one, but only
  // briefly: a disk may never answer. Returns the number of finished writes.
  virtual std::size_t reap(std::span<WriteCompletion> out, bool wait) = 0;

  virtual const char* name() const = 0;
};

// The chosen backend, or with `auto` the better one that works here. Returns null and a `why` that
// names the remedy on failure; if `auto` falls back, returns a backend and puts the notice into
// `why`.
std::unique_ptr<BlockIo> make_block_io(IoChoice choice, std::uint32_t slots, std::string* why);

std::unique_ptr<BlockIo> make_uring_io(std::uint32_t slots, std::string* why);
std::unique_ptr<BlockIo> make_pwrite_io();

}  // namespace ringside::consumer
