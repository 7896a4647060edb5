#include "consumerd/slot_writer.hpp"

#include <array>
#include <cassert>
#include <cerrno>
#include <thread>
#include <utility>

namespace ringside::consumer {
namespace {

constexpr auto kRetryAfter = std::chrono::milliseconds(100);

}  // namespace

SlotWriter::SlotWriter(StagingFile& staging, BlockIo& io, const Log& log)
    : staging_(staging), io_(io), log_(log), jobs_(kStagingSlots) {}

std::uint32_t SlotWriter::acquire() {
  bool first_use = false;
  const std::uint32_t slot = staging_.acquire(&first_use);
  if (first_use) {
    const std::span<std::byte> data = staging_.data(slot);
    io_.prepare_slot(slot, data.data(), data.size());
  }
  if (slot == kNoSlot && staging_.out_of_memory() && !told_no_memory_) {
    told_no_memory_ = true;
    log_.error(
        "no memory for a further staging buffer; fewer of them make draining slower, none "
        "stop it: enlarge the shared-memory file system (in a container: --shm-size)");
  }
  return slot;
}

void SlotWriter::write(std::uint32_t slot, int fd, Done done) {
  Job& job = jobs_[slot];
  assert(!job.active);
  job = {};
  job.fd = fd;
  job.bytes = shm::commit_bytes(staging_.header(slot).commit.load(std::memory_order_relaxed));
  job.active = true;
  job.done = std::move(done);
  ++under_way_;
  submit(slot);
}

void SlotWriter::submit(std::uint32_t slot) {
  Job& job = jobs_[slot];
  WriteRequest request;
  request.fd = job.fd;
  request.slot = slot;
  request.data = staging_.data(slot).data() + job.written;
  request.bytes = job.bytes - job.written;
  request.offset = staging_.header(slot).file_offset + job.written;
  job.submitted = io_.submit(request);
}

void SlotWriter::poll(bool wait) {
  if (under_way_ == 0) {
    // Nothing can come; a caller that waits for room nevertheless must not spin.
    if (wait) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return;
  }
  std::array<WriteCompletion, kStagingSlots> completions;
  bool any_submitted = false;
  const auto now = std::chrono::steady_clock::now();
  for (std::uint32_t slot = 0; slot < jobs_.size(); ++slot) {
    Job& job = jobs_[slot];
    if (job.active && !job.submitted && job.retry_at <= now) submit(slot);
    any_submitted = any_submitted || (job.active && job.submitted);
  }
  const std::size_t count = io_.reap(completions, wait && any_submitted);
  for (std::size_t i = 0; i < count; ++i) finish(completions[i]);
  if (wait && count == 0) {
    // Everything under way waits for its next try.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void SlotWriter::finish(const WriteCompletion& completion) {
  Job& job = jobs_[completion.slot];
  if (!job.active || !job.submitted) return;
  job.submitted = false;
  if (completion.result <= 0) {
    // A write of 0 bytes without an error is a disk that does not take any: try again later.
    fail(completion.slot, completion.result == 0 ? ENOSPC : -completion.result);
    return;
  }
  // Counted by slot: with one file that fails and others that do not, neither the state nor the
  // log is to flicker.
  if (job.failing) {
    job.failing = false;
    if (--failing_ == 0) log_.notice("writing again");
  }
  job.written += static_cast<std::uint32_t>(completion.result);
  if (job.written < job.bytes) {
    submit(completion.slot);
    return;
  }
  job.active = false;
  --under_way_;
  const Done done = std::move(job.done);
  if (done) done(completion.slot);
  // Not before: until here a successor would write the slot again, at the same place.
  staging_.header(completion.slot).commit.store(0, std::memory_order_release);
  staging_.release(completion.slot);
}

void SlotWriter::fail(std::uint32_t slot, int error) {
  Job& job = jobs_[slot];
  const bool passing = error == EINTR || error == EAGAIN;
  job.retry_at = std::chrono::steady_clock::now();
  if (passing) return;
  job.retry_at += kRetryAfter;
  if (job.failing) return;
  job.failing = true;
  if (failing_++ == 0) {
    stalled_since_ = std::chrono::steady_clock::now();
    log_.error("cannot write " + std::string(staging_.header(slot).file_path) + ": " +
               error_text(error) +
               "; nothing is lost as long as the rings have room, trying again until it works");
  }
}

}  // namespace ringside::consumer
