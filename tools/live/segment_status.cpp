#include "tools/live/segment_status.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <span>

#include "shm-layout/clock_reading.hpp"
#include "shm-layout/segment_lock.hpp"
#include "tools/live/segment_image.hpp"

namespace ringside::tool {
namespace {

constexpr std::uint64_t kSilentAfterNs = 1'000'000'000;
// A consumer that serves segments in turns.
constexpr std::uint64_t kReturnsWithinNs = 5'000'000'000;

// The structures consist of words and bytes, so copying the bytes copies the structure.
template <class Line>
std::unique_ptr<Line> copy_of(std::span<const std::byte> bytes) {
  auto line = std::make_unique<Line>();
  std::memcpy(static_cast<void*>(line.get()), bytes.data(), std::min(bytes.size(), sizeof(Line)));
  return line;
}

template <std::size_t N>
std::string text_of(const char (&text)[N]) {
  return std::string(text, strnlen(text, N));
}

template <class T>
T value(const std::atomic<T>& word) {
  return word.load(std::memory_order_relaxed);
}

RingStatus ring_status(const shm::RingMetadata& ring, std::uint32_t index,
                       const SegmentStatus& segment) {
  RingStatus status;
  status.ring = index;
  status.state = static_cast<shm::RingState>(value(ring.identity.state));
  status.generation = value(ring.identity.generation);
  status.stream_id = ring.identity.stream_id;
  status.thread_id = ring.identity.thread_id;
  status.thread_name = text_of(ring.identity.thread_name);
  status.producer_pos = value(ring.producer.producer_pos);
  status.consumer_pos = value(ring.consumer.consumer_pos);
  status.written_pos = value(ring.consumer.written_pos);
  std::uint64_t from = status.consumer_pos;
  if (segment.sub_buffer_bytes != 0) {
    const shm::OverwriteWords& oldest = ring.producer.oldest;
    from = value(oldest.slot[value(oldest.version) % 2].pos);
  }
  // Not read atomically: the consumer may have passed the producer's position that was read.
  if (status.producer_pos > from) {
    status.fill_bytes = std::min(status.producer_pos - from, segment.ring_bytes);
  }
  // Words of a former owner do not describe this one.
  if (value(ring.consumer.generation) == status.generation) {
    status.high_water_bytes = std::min(value(ring.consumer.high_water_bytes), segment.ring_bytes);
    status.records_taken = value(ring.consumer.next_sequence);
  }
  status.dropped = value(ring.counters.dropped_total);
  status.dropped_ring_full = value(ring.counters.dropped_ring_full);
  status.dropped_consumer_absent = value(ring.counters.dropped_consumer_absent);
  status.dropped_quarantined = value(ring.counters.dropped_quarantined);
  status.dropped_abandoned = value(ring.counters.dropped_abandoned);
  status.cut_records = value(ring.counters.cut_records);
  status.blocked_count = value(ring.counters.blocked_count);
  status.blocked_ticks = value(ring.counters.blocked_ticks);
  status.quarantine = value(ring.consumer.quarantine);
  return status;
}

ConsumerHealth health_of(const shm::ConsumerLine& line, bool is_locked, std::uint64_t age_ns) {
  const auto state = static_cast<shm::ConsumerState>(value(line.state));
  // Such a consumer comes back within seconds.
  const bool returns = state == shm::ConsumerState::kBetweenTurns && age_ns < kReturnsWithinNs;
  if (!is_locked) return returns ? ConsumerHealth::kPolling : ConsumerHealth::kNone;
  if (state == shm::ConsumerState::kStalled) {
    return ConsumerHealth::kStalled;
  }
  return age_ns >= kSilentAfterNs ? ConsumerHealth::kSilent : ConsumerHealth::kPolling;
}

}  // namespace

std::uint64_t lost_records(const std::array<std::uint64_t, shm::kCountedCauses.size()>& counted) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < counted.size(); ++i) {
    if (shm::is_lost(shm::kCountedCauses[i])) sum += counted[i];
  }
  return sum;
}

std::uint64_t lost_records(const std::array<std::uint64_t, shm::kSiteCauses.size()>& counted) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < counted.size(); ++i) {
    if (shm::is_lost(shm::kSiteCauses[i])) sum += counted[i];
  }
  return sum;
}

std::uint64_t SegmentStatus::lost() const {
  return lost_records(counted);
}

std::uint64_t SegmentStatus::active_threads() const {
  return static_cast<std::uint64_t>(std::count_if(
      rings.begin(), rings.end(), [](const RingStatus& ring) { return ring.active(); }));
}

SegmentStatus read_status(const SegmentImage& image, const std::string& path) {
  const shm::SegmentHeader& header = image.header();
  SegmentStatus status;
  status.path = path;
  status.service = text_of(header.service);
  status.exe = text_of(header.exe);
  status.host = text_of(header.host);
  status.pid = header.pid;
  status.uid = header.uid;
  status.abi_version = value(header.version);
  status.agent_version = header.agent_version;
  status.alive = image.is_locked(shm::kServiceLockByte);
  status.tick_hz = header.tsc_frequency_hz;
  status.start_realtime_ns = header.start_realtime_ns;
  status.ring_bytes = image.layout().ring_bytes;
  status.ring_count = image.layout().ring_count;
  status.sub_buffer_bytes = header.sub_buffer_bytes;
  status.memory_bytes = image.memory_bytes();
  const auto control = copy_of<shm::ControlPage>(image.control_page());
  status.rings_used = std::min(value(control->service.rings_used), status.ring_count);
  status.site_count = std::min(value(control->service.site_count), image.layout().site_capacity);
  status.policy = static_cast<shm::OverflowPolicy>(value(control->service.overflow_policy));
  status.block_timeout_ms = value(control->service.block_timeout_ms);
  status.level_word = value(control->service.level);
  status.consumer_pid = value(control->consumer.pid);
  status.consumer_session = value(control->consumer.session);
  status.heartbeat = value(control->consumer.heartbeat);
  const std::uint64_t now_ns = shm::read_clock_ns(CLOCK_MONOTONIC);
  const std::uint64_t beat_ns = value(control->consumer.heartbeat_monotonic_ns);
  status.heartbeat_age_ns = now_ns > beat_ns ? now_ns - beat_ns : 0;
  status.consumer = health_of(control->consumer, image.is_locked(shm::kConsumerLockByte),
                              status.heartbeat_age_ns);
  status.lost_no_ring = value(control->losses.no_ring);
  status.lost_no_memory = value(control->losses.no_memory);
  status.lost_dictionary_full = value(control->losses.dictionary_full);
  for (const SegmentImage::SiteLossCounts& site : image.site_losses(status.site_count)) {
    for (std::size_t i = 0; i < site.size(); ++i) {
      status.counted[shm::counter_of(shm::kSiteCauses[i])] += site[i];
    }
  }
  const std::vector<std::byte> metadata = image.ring_metadata(status.rings_used);
  const std::span<const std::byte> all(metadata);
  status.rings.reserve(metadata.size() / sizeof(shm::RingMetadata));
  for (std::size_t at = 0; at + sizeof(shm::RingMetadata) <= all.size();
       at += sizeof(shm::RingMetadata)) {
    const auto ring = copy_of<shm::RingMetadata>(all.subspan(at, sizeof(shm::RingMetadata)));
    status.rings.push_back(
        ring_status(*ring, static_cast<std::uint32_t>(status.rings.size()), status));
  }
  if (image.layout().call_costs_offset != 0) status.cost_sampling = header.cost_sampling;
  if (status.cost_sampling == 0) return status;
  const auto costs = image.call_costs(status.rings_used);
  for (std::size_t i = 0; i < costs.size() && i < status.rings.size(); ++i) {
    status.call_costs.add(costs[i].all);
    status.rings[i].call_costs = costs[i].all.since(costs[i].before);
  }
  return status;
}

const char* health_name(ConsumerHealth health) {
  switch (health) {
    case ConsumerHealth::kNone:
      return "none";
    case ConsumerHealth::kPolling:
      return "polling";
    case ConsumerHealth::kStalled:
      return "stalled";
    case ConsumerHealth::kSilent:
      return "silent";
  }
  return "?";
}

}  // namespace ringside::tool
