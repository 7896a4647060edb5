#pragma once
// The seam between staging and the disk: positioned writes of staging slots. Two backends stand
// behind it, io_uring and pwrite; tests put a faulty one there.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "consumerd/options.hpp"

namespace ringside::consumer {

struct WriteRequest {
  int fd = -1;
  std::uint32_t slot = 0;  // index of the staging slot that `data` lies in
  const std::byte* data = nullptr;
  std::uint32_t bytes = 0;
  std::uint64_t offset = 0;  // in the file
};

struct WriteCompletion {
  std::uint32_t slot = 0;
  std::int32_t result = 0;  // bytes written, perhaps fewer than asked for, or -errno
};

// Not thread-safe. At most one write per slot is under way at any time.
class BlockIo {
 public:
  virtual ~BlockIo() = default;

  // Tells that slot memory [data, data + bytes) is in use from now on, so that the backend can
  // prepare it once instead of for each write. Called once per slot of a staging file.
  virtual void prepare_slot(std::uint32_t slot, std::byte* data, std::size_t bytes) = 0;

  // Starts a write. False if no further one can be taken now; try again after reap().
  virtual bool submit(const WriteRequest& request) = 0;

  // Collects finished writes into `out`; with `wait` and any under way, waits for one, but not for
  // long: a disk may never answer. Returns how many there are.
  virtual std::size_t reap(std::span<WriteCompletion> out, bool wait) = 0;

  virtual const char* name() const = 0;
};

// By choice, or the better one that works here. Null with `why` naming the remedy; a fallback
// of `auto` returns a backend and puts the notice into `why`.
std::unique_ptr<BlockIo> make_block_io(IoChoice choice, std::uint32_t slots, std::string* why);

std::unique_ptr<BlockIo> make_uring_io(std::uint32_t slots, std::string* why);
std::unique_ptr<BlockIo> make_pwrite_io();

}  // namespace ringside::consumer
