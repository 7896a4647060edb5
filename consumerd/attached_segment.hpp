#pragma once
// A service's segment in this process: checked, locked and mapped. Nothing in it is trusted: the
// header was copied before it was looked at, and everything else is read once and checked.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <boost/interprocess/mapped_region.hpp>
#include <sys/stat.h>

#include "consumerd/mapped_file.hpp"
#include "consumerd/truncation_guard.hpp"
#include "consumerd/trusted_open.hpp"
#include "consumerd/unique_fd.hpp"
#include "shm-layout/control_page.hpp"
#include "shm-layout/ring_metadata.hpp"
#include "shm-layout/segment_header.hpp"
#include "shm-layout/segment_layout.hpp"

namespace ringside::consumer {

enum class AttachError {
  kNone,
  kNotReady,  // the service is still creating it: look again
  kOwned,     // another consumerd drains it; owner_pid says which
  kGone,      // removed since its name was seen
  kNotNow,    // `why`, but it may pass: no descriptors or memory left, a mode still to be set
  kRefused,   // not sound, or of another version: `why`
};

struct AttachFailure {
  AttachError error = AttachError::kNone;
  bool by_mode = false;  // kNotNow because the file's owner does not let this user in
  // Of kOwned, as the segment says.
  std::uint32_t owner_pid = 0;
  std::array<std::uint8_t, 16> owner_staging{};
  std::string why;
};

class AttachedSegment {
 public:
  // Opens `shm_dir`/`name` if it belongs to one of `users`, and takes its consumer lock. Null with
  // `failure` set otherwise.
  static std::unique_ptr<AttachedSegment> attach(const std::string& shm_dir,
                                                 const std::string& name, AttachFailure* failure,
                                                 const AllowedUsers& users = AllowedUsers());
  ~AttachedSegment();
  AttachedSegment(const AttachedSegment&) = delete;
  AttachedSegment& operator=(const AttachedSegment&) = delete;

  const std::string& name() const { return name_; }
  const shm::SegmentHeader& header() const { return *header_; }  // a private copy
  const shm::SegmentLayout& layout() const { return layout_; }
  shm::ControlPage& control() { return *control_; }
  // To the service, which waits for space by it, and to tools.
  void tell_state(shm::ConsumerState state) {
    control_->consumer.state.store(static_cast<std::uint32_t>(state), std::memory_order_relaxed);
  }
  shm::RingMetadata& ring(std::uint32_t index) { return rings_[index]; }
  const std::byte* dictionary() const { return dictionary_; }
  // By site id, as many as the layout says.
  std::uint8_t* switches() { return switches_; }

  // Rings [0, used) can hold something; bounded by the layout whatever the page says.
  std::uint32_t rings_used() const;

  // Entries of the region of site losses that the service has backed; 0 if it has none.
  std::uint32_t sites_counted() const;
  // Copies entries of it, from `first` on: through the file, so that a hole costs no memory and a
  // truncated file no signal. False if they are not all there.
  bool read_site_losses(std::uint32_t first, std::span<std::byte> entries) const;

  // Whether the service measures log calls. The entries of rings [first, ...), read likewise.
  bool measures_calls() const;
  bool read_call_costs(std::uint32_t first, std::span<std::byte> entries) const;

  // The ring's bytes, twice back to back, up to the next call of any segment's; null (errno) if
  // they cannot be mapped, even after everybody else's rings were unmapped: mappings and address
  // space are bounded, and the services that want them all must not have them all.
  const std::byte* ring_bytes(std::uint32_t index);

  // How much memory stands behind the file: it may claim any size and hold nothing.
  std::uint64_t backed_bytes() const;

  uid_t owner() const { return owner_; }  // as the kernel says, whatever the header does

  // Whether a page of the file was missing when it was touched (see truncation_guard.hpp): what
  // was read since may be zeros, and what was written may have gone nowhere.
  bool truncated() const { return truncated_.load(std::memory_order_acquire); }

  // Whether the service still runs: by its lock, not by its pid.
  bool service_alive() const;
  // Whether it has said that it ends (exit(), or main() returns).
  bool service_has_closed() const;

  // For changing switches, the level or deadlines. False if a tool does that at the moment.
  bool try_lock_switches();
  void unlock_switches();

  // Removes the file. The mappings stay valid until this object goes.
  void unlink_file();

 private:
  // The guard is gone before the mapping is.
  struct GuardedRing {
    DoubleMapping mapping;
    GuardedRange guard;
  };

  AttachedSegment();
  UniqueFd open_file(const std::string& shm_dir, const AllowedUsers& users, AttachFailure* failure);
  bool map_ring(std::uint32_t index);
  static void unmap_all_rings();
  bool remove_if_abandoned(const struct stat& info);

  std::string name_;
  std::string path_;
  UniqueFd fd_;
  std::unique_ptr<shm::SegmentHeader> header_;
  shm::SegmentLayout layout_{};
  boost::interprocess::mapped_region head_;
  shm::ControlPage* control_ = nullptr;
  shm::RingMetadata* rings_ = nullptr;
  std::uint8_t* switches_ = nullptr;
  const std::byte* dictionary_ = nullptr;
  uid_t owner_ = 0;
  std::atomic<bool> truncated_{false};
  GuardedRange head_guard_;  // after the mapping: gone before it is
  std::vector<GuardedRing> ring_mappings_;
};

}  // namespace ringside::consumer
