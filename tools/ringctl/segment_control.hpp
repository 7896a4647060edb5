#pragma once
// The words of a live segment that tools may change (shm-layout/README.md, "Tools").

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shm-layout/control_page.hpp"
#include "shm-layout/switch_change.hpp"
#include "tools/ringctl/writable_segment.hpp"

namespace ringside::tool {

class SegmentControl {
 public:
  // Null with `*why` if it cannot be controlled; without `*why` if it is not ready yet, or gone.
  static std::unique_ptr<SegmentControl> open(const std::string& path, std::string* why);

  const std::string& path() const { return segment_->path(); }
  bool overwritten() const { return segment_->overwritten(); }
  bool service_alive() const { return segment_->service_alive(); }
  bool has_consumer() const { return segment_->has_consumer(); }
  bool wait_for_consumer(std::chrono::steady_clock::time_point deadline) const {
    return segment_->wait_for_consumer(deadline);
  }

  // Only one tool at a time may use the functions below. False if another one holds the lock for
  // two seconds.
  bool lock();
  void unlock();

  // The command line that the changes below are due to, for the trace.
  void set_command(std::string command) { command_ = std::move(command); }
  // Stores in the segment who is about to change it. Call it with the lock, before the change.
  bool announce_change();

  // Each of these returns false if the file was truncated or cannot be written (why()).
  bool read_level(std::uint32_t* word);
  bool write_level(std::uint32_t word);
  bool read_policy(shm::OverflowPolicy* policy, std::uint32_t* block_timeout_ms);
  bool write_policy(std::optional<shm::OverflowPolicy> policy,
                    std::optional<std::uint32_t> block_timeout_ms);
  bool read_deadlines(shm::DeadlineCopy* deadlines);
  bool write_deadline(std::uint32_t slot, std::uint64_t tsc);
  // For sites 1 to site_count(); [0] is not used.
  using Switches = std::vector<std::uint8_t>;
  bool read_switches(Switches* switches);
  bool write_switch(std::uint32_t site_id, std::uint8_t state);
  // Whether the service's library can; then sites [0, `*sites`) have a counter.
  bool counts_executions() const { return segment_->layout().site_executions_offset != 0; }
  bool read_sites_with_executions(std::uint32_t* sites);
  // Whether the service's library knows the switches with stacks.
  bool records_stacks(bool* records);

  // Takes a slot whose deadline is `after_ns` from now. Switches whose deadline is over are
  // reverted first, so that their slots are free. Empty if all are taken, or on failure.
  std::optional<std::uint32_t> take_deadline(std::uint64_t after_ns);

  enum class Request { kFlush, kDurableFlush, kRotation };
  // Sends a request to its consumer; `*number` is the value that answered() must reach.
  bool request(Request what, std::uint64_t* number);
  bool answered(Request what, std::uint64_t* number);
  // Whether its consumer is too old for durable flushes.
  bool refuses_durable_flush(bool* refuses);
  // Failed syncs of its files so far: what was written before them may not be durable.
  bool sync_failures(std::uint64_t* count);

  const std::string& why() const { return why_; }

 private:
  explicit SegmentControl(std::unique_ptr<WritableSegment> segment)
      : segment_(std::move(segment)), control_offset_(segment_->layout().control_offset) {}
  bool read(std::uint64_t offset, void* out, std::size_t bytes) {
    return segment_->read(offset, out, bytes, &why_);
  }
  bool write(std::uint64_t offset, const void* bytes, std::size_t size) {
    return segment_->write(offset, bytes, size, &why_);
  }

  std::unique_ptr<WritableSegment> segment_;
  std::uint64_t control_offset_;
  std::string command_;
  std::string why_;
};

}  // namespace ringside::tool
