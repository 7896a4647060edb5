#pragma once
// The state of a segment at one instant, for ringstat and ringctl list. It is read from the file:
// nothing is mapped, requested or changed, so it also works for a copy, and when consumerd is dead
// or absent. Every word may have any value.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shm-layout/call_cost_counts.hpp"
#include "shm-layout/control_page.hpp"
#include "shm-layout/loss_cause.hpp"
#include "shm-layout/ring_metadata.hpp"

namespace ringside::tool {

class SegmentImage;

// For counters in the order of shm::kCountedCauses: records that are absent, for any cause.
std::uint64_t lost_records(const std::array<std::uint64_t, shm::kCountedCauses.size()>& counted);
// The same for the order of shm::kSiteCauses.
std::uint64_t lost_records(const std::array<std::uint64_t, shm::kSiteCauses.size()>& counted);

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
  std::uint64_t fill_bytes = 0;        // published and not yet taken; at most the ring's size
  std::uint64_t high_water_bytes = 0;  // as found by the consumer; at most the ring's size
  std::uint64_t records_taken = 0;     // by the consumer, including lost ones, from this owner
  std::uint64_t dropped = 0;           // for all causes
  std::uint64_t dropped_ring_full = 0;
  std::uint64_t dropped_consumer_absent = 0;
  std::uint64_t dropped_quarantined = 0;
  std::uint64_t dropped_abandoned = 0;
  std::uint64_t cut_records = 0;
  std::uint64_t blocked_count = 0;
  std::uint64_t blocked_ticks = 0;
  std::uint32_t quarantine = 0;
  shm::CallCostCounts call_costs;  // for this owner

  bool active() const { return state == shm::RingState::kActive; }
};

enum class ConsumerHealth : std::uint8_t {
  kNone,     // the consumer's lock is free
  kPolling,  // the heartbeat moves
  kStalled,  // cannot write
  kSilent,   // holds the lock, but its heartbeat is over a second old: stopped, or starved
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
  bool alive = false;  // whether the service is alive
  std::uint64_t tick_hz = 0;
  std::uint64_t start_realtime_ns = 0;
  std::uint64_t ring_bytes = 0;
  std::uint32_t ring_count = 0;
  std::uint32_t rings_used = 0;
  std::uint32_t site_count = 0;
  std::uint64_t sub_buffer_bytes = 0;
  std::uint64_t memory_bytes = 0;  // that the segment uses in the file system
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
  // shm::kCountedCauses. They never fall; those of rings restart with each thread.
  std::array<std::uint64_t, shm::kCountedCauses.size()> counted{};
  std::vector<RingStatus> rings;    // all that were ever used
  std::uint32_t cost_sampling = 0;  // one in this many log calls is measured; 0: none
  shm::CallCostCounts call_costs;   // for all threads since the service began

  std::uint64_t lost() const;  // for all causes
  std::uint64_t active_threads() const;
};

// Reads everything anew, whenever the image was opened.
SegmentStatus read_status(const SegmentImage& image, const std::string& path);

const char* health_name(ConsumerHealth health);

}  // namespace ringside::tool
