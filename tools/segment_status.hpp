#pragma once
// Everything that a segment tells about itself at one instant, as ringstat and ringctl list show
// it. Read from the file as it lies there: nothing is mapped, asked for or changed, so it also
// works when consumerd is dead or absent, and for a copy. Every word may be anything.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shm-layout/control_page.hpp"
#include "shm-layout/loss_cause.hpp"
#include "shm-layout/ring_metadata.hpp"
#include "tools/call_cost_counts.hpp"

namespace ringside::tool {

class SegmentImage;

// Of counters in the order of shm::kCountedCauses: records that are absent, whatever the cause.
std::uint64_t lost_records(const std::array<std::uint64_t, shm::kCountedCauses.size()>& counted);

struct RingStatus {
  std::uint32_t ring = 0;
  shm::RingState state{};
  std::uint32_t generation = 0;
  std::uint64_t stream_id = 0;
  std::uint32_t thread_id = 0;
  std::string thread_name;
  std::uint64_t producer_pos = 0;
  std::uint64_t consumer_pos = 0;
  std::uint64_t written_pos = 0;
  std::uint64_t fill_bytes = 0;        // published and not yet taken; at most the ring
  std::uint64_t high_water_bytes = 0;  // as the consumer has found it, at most the ring
  std::uint64_t records_taken = 0;     // by the consumer, lost ones included, of this owner
  std::uint64_t dropped = 0;           // all causes
  std::uint64_t dropped_ring_full = 0;
  std::uint64_t dropped_consumer_absent = 0;
  std::uint64_t dropped_quarantined = 0;
  std::uint64_t cut_records = 0;
  std::uint64_t blocked_count = 0;
  std::uint64_t blocked_ticks = 0;
  std::uint32_t quarantine = 0;
  CallCostCounts call_costs;  // of this owner

  bool active() const { return state == shm::RingState::kActive; }
};

enum class ConsumerHealth : std::uint8_t {
  kNone,     // nobody holds the consumer's lock
  kPolling,  // the heartbeat moves
  kStalled,  // cannot write
  kSilent,   // holds the lock, but has not been heard for a second: stopped, or starved
};

struct SegmentStatus {
  std::string path;
  std::string service;
  std::string exe;
  std::string host;
  std::uint32_t pid = 0;
  std::uint32_t uid = 0;
  std::uint32_t abi_version = 0;
  std::uint32_t agent_version = 0;
  bool alive = false;  // the service
  std::uint64_t tick_hz = 0;
  std::uint64_t start_realtime_ns = 0;
  std::uint64_t ring_bytes = 0;
  std::uint32_t ring_count = 0;
  std::uint32_t rings_used = 0;
  std::uint32_t site_count = 0;
  std::uint64_t sub_buffer_bytes = 0;
  std::uint64_t memory_bytes = 0;  // that the segment takes of the file system
  shm::OverflowPolicy policy{};
  std::uint32_t block_timeout_ms = 0;
  std::uint32_t level_word = 0;  // shm-layout/site_switch.hpp
  ConsumerHealth consumer{};
  std::uint32_t consumer_pid = 0;
  std::uint64_t consumer_session = 0;
  std::uint64_t heartbeat = 0;
  std::uint64_t heartbeat_age_ns = 0;
  std::uint64_t lost_no_ring = 0;
  std::uint64_t lost_no_memory = 0;
  std::uint64_t lost_dictionary_full = 0;
  // Records of all statements and threads since the service began, by cause, in the order of
  // shm::kCountedCauses. They never fall; those of rings begin anew with each thread.
  std::array<std::uint64_t, shm::kCountedCauses.size()> counted{};
  std::vector<RingStatus> rings;    // those that were ever used
  std::uint32_t cost_sampling = 0;  // one in so many log calls is measured; 0: none
  CallCostCounts call_costs;        // of all threads since the service began

  std::uint64_t lost() const;  // by all causes
  std::uint64_t active_threads() const;
};

// Of an image that was opened just now or earlier: everything is read anew.
SegmentStatus read_status(const SegmentImage& image, const std::string& path);

const char* health_name(ConsumerHealth health);

}  // namespace ringside::tool
