#pragma once
// A service's segment in this process: checked, locked and mapped. Nothing in it is trusted: the
// header was copied before it was looked at, and everything else is read once and checked.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/interprocess/mapped_region.hpp>
#include <sys/stat.h>

#include "consumerd/mapped_file.hpp"
#include "consumerd/truncation_guard.hpp"
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
  std::uint32_t owner_pid = 0;
  std::string why;
};

class AttachedSegment {
 public:
  // Opens `shm_dir`/`name` and takes its consumer lock. Null with `failure` set otherwise.
  static std::unique_ptr<AttachedSegment> attach(const std::string& shm_dir,
                                                 const std::string& name, AttachFailure* failure);

  const std::string& name() const { return name_; }
  const shm::SegmentHeader& header() const { return *header_; }  // a private copy
  const shm::SegmentLayout& layout() const { return layout_; }
  shm::ControlPage& control() { return *control_; }
  shm::RingMetadata& ring(std::uint32_t index) { return rings_[index]; }
  const std::byte* dictionary() const { return dictionary_; }

  // Rings [0, used) can hold something; bounded by the layout whatever the page says.
  std::uint32_t rings_used() const;

  // The ring's bytes, twice back to back; null (errno) if they cannot be mapped.
  const std::byte* ring_bytes(std::uint32_t index);

  // Whether a page of the file was missing when it was touched (see truncation_guard.hpp): what
  // was read since may be zeros, and what was written may have gone nowhere.
  bool truncated() const { return truncated_.load(std::memory_order_acquire); }

  // Whether the service still runs: by its lock, not by its pid.
  bool service_alive() const;

  // Removes the file. The mappings stay valid until this object goes.
  void unlink_file();

 private:
  AttachedSegment() = default;
  bool remove_if_abandoned(const struct stat& info);

  std::string name_;
  std::string path_;
  UniqueFd fd_;
  std::unique_ptr<shm::SegmentHeader> header_;
  shm::SegmentLayout layout_{};
  boost::interprocess::mapped_region head_;
  shm::ControlPage* control_ = nullptr;
  shm::RingMetadata* rings_ = nullptr;
  const std::byte* dictionary_ = nullptr;
  std::vector<DoubleMapping> ring_mappings_;
  std::atomic<bool> truncated_{false};
  std::vector<GuardedRange> guards_;  // after the mappings: gone before they are
};

}  // namespace ringside::consumer
