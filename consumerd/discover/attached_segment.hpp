#pragma once
// A service's segment in this process: checked, locked and mapped. Nothing in it is trusted: the
// header is checked on a private copy, and everything else is read once and then checked.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <boost/interprocess/mapped_region.hpp>
#include <sys/stat.h>

#include "consumerd/descriptors/mapped_file.hpp"
#include "consumerd/descriptors/trusted_open.hpp"
#include "consumerd/descriptors/unique_fd.hpp"
#include "consumerd/discover/truncation_guard.hpp"
#include "shm-layout/control_page.hpp"
#include "shm-layout/ring_metadata.hpp"
#include "shm-layout/segment_header.hpp"
#include "shm-layout/segment_layout.hpp"

namespace ringside::consumer {

enum class AttachError {
  kNone,
  kNotReady,  // the service is still creating it: try again
  kOwned,     // another consumerd drains it; owner_pid says which
  kGone,      // removed since its name was read
  kNotNow,    // `why`, but the cause may pass: no descriptors or memory left, mode not set yet
  kRefused,   // invalid or of another version: `why`
};

struct AttachFailure {
  AttachError error = AttachError::kNone;
  bool no_descriptors = false;  // kNotNow because this process may not open more files
  bool by_mode = false;         // kNotNow because the file's mode denies access to this user
  // The file probably belongs to a user who is served: its records, if any, are not drained.
  bool may_hold_records = false;
  bool removed_records = false;  // kGone because it was of no use: `why`
  // For kOwned, as stated by the segment.
  std::uint32_t owner_pid = 0;
  std::array<std::uint8_t, 16> owner_staging{};
  std::string why;
};

class AttachedSegment {
 public:
  // Opens `shm_dir`/`name` if it belongs to one of `users`, and takes its consumer lock. Otherwise
  // returns null and sets `failure`.
  static std::unique_ptr<AttachedSegment> attach(const std::string& shm_dir,
                                                 const std::string& name, AttachFailure* failure,
                                                 const AllowedUsers& users = AllowedUsers());
  ~AttachedSegment();
  AttachedSegment(const AttachedSegment&) = delete;
  AttachedSegment& operator=(const AttachedSegment&) = delete;

  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }
  const shm::SegmentHeader& header() const { return *header_; }  // a private copy
  const shm::SegmentLayout& layout() const { return layout_; }
  shm::ControlPage& control() { return *control_; }
  // Read by the service, which waits for space depending on it, and by tools.
  void publish_state(shm::ConsumerState state) {
    control_->consumer.state.store(static_cast<std::uint32_t>(state), std::memory_order_relaxed);
  }
  // Shows services and tools that the consumer lives.
  void beat(std::chrono::steady_clock::time_point now) {
    control_->consumer.heartbeat_monotonic_ns.store(
        static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count()),
        std::memory_order_relaxed);
  }
  shm::RingMetadata& ring(std::uint32_t index) { return rings_[index]; }
  const std::byte* dictionary() const { return dictionary_; }
  // Indexed by site id; the layout has the number of entries.
  std::uint8_t* switches() { return switches_; }

  // Only rings [0, used) can hold data; bounded by the layout, whatever the control page says.
  std::uint32_t rings_used() const;

  // Entries of the site-loss region that the service has backed; 0 if it has none.
  std::uint32_t sites_counted() const;
  // Copies entries of that region, starting at `first`. Reads through the file, so that a hole
  // costs no memory and a truncated file raises no signal. False if entries are missing.
  bool read_site_losses(std::uint32_t first, std::span<std::byte> entries) const;

  // The same for executions that are counted instead of recorded: reads whole pages of counters.
  std::uint32_t sites_with_executions() const;
  bool read_executions(std::uint32_t first, std::span<std::byte> pages) const;

  // Whether the service measures log calls. read_call_costs() copies the entries of rings [first,
  // ...) in the same way.
  bool measures_calls() const;
  bool read_call_costs(std::uint32_t first, std::span<std::byte> entries) const;

  // The ring's bytes, mapped twice back to back; valid until the next call for any segment. Null
  // (errno) if they cannot be mapped even after all other rings were unmapped. Mappings and address
  // space are bounded, so one service with many rings must not use them all.
  const std::byte* ring_bytes(std::uint32_t index);
  // Then ring_bytes() changes nothing, and several threads may call it for different rings.
  bool is_mapped(std::uint32_t index) const {
    return static_cast<bool>(ring_mappings_[index].mapping);
  }

  // Records of signal handlers that lie after producer_pos; null in a segment before 1.3.
  const shm::NestedRecords* nested(std::uint32_t index) const {
    return nested_ == nullptr ? nullptr : &nested_[index];
  }
  // The context where the ring is read; null if the segment has no memory for it (yet).
  shm::ConsumedContext* consumed_context(std::uint32_t index) const;
  // Writes to a ring whose service has ended. False if it cannot be written.
  bool write_ring_word(std::uint32_t index, std::uint64_t pos, std::uint64_t word);

  // Memory that backs the file: a file may claim any size and hold nothing.
  std::uint64_t backed_bytes() const;

  uid_t owner() const { return owner_; }  // from the kernel, whatever the header says

  // Whether a page of the file was missing when it was accessed (see truncation_guard.hpp): data
  // read since may be zeros, and data written may be lost.
  bool truncated() const { return truncated_.load(std::memory_order_acquire); }

  // Whether the service still runs: determined by its lock, not by its pid.
  bool service_alive() const;
  // Whether the service has announced its end (exit(), or main() returns).
  bool service_has_closed() const;

  // For changes of switches, the level or deadlines. False if a tool is changing them now.
  bool try_lock_switches();
  void unlock_switches();

  // Removes the file. The mappings stay valid until this object is destroyed. False (errno) if this
  // user must not remove it: in a directory with the sticky bit only the owner may.
  bool unlink_file();
  // Empties a file that could not be removed. The file must not be used afterwards.
  void give_memory_back();

 private:
  // The guard is destroyed before the mapping.
  struct GuardedRing {
    DoubleMapping mapping;
    GuardedRange guard;
  };

  AttachedSegment();
  UniqueFd open_file(const std::string& shm_dir, const AllowedUsers& users, AttachFailure* failure);
  bool map_ring(std::uint32_t index);
  static void unmap_all_rings();
  bool remove_if_abandoned(const struct stat& info);
  bool remove_if_ownerless();

  std::string name_;
  std::string path_;
  UniqueFd fd_;
  std::unique_ptr<shm::SegmentHeader> header_;
  shm::SegmentLayout layout_{};
  boost::interprocess::mapped_region head_;
  shm::ControlPage* control_ = nullptr;
  shm::RingMetadata* rings_ = nullptr;
  const shm::NestedRecords* nested_ = nullptr;
  shm::ConsumedContext* contexts_ = nullptr;
  std::uint8_t* switches_ = nullptr;
  const std::byte* dictionary_ = nullptr;
  uid_t owner_ = 0;
  std::atomic<bool> truncated_{false};
  GuardedRange head_guard_;  // declared after the mapping: destroyed before it
  std::vector<GuardedRing> ring_mappings_;
};

}  // namespace ringside::consumer
