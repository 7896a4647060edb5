#include "consumerd/session/pending_work.hpp"

namespace ringside::consumer {
namespace {

bool has_request(const shm::ControlPage& control) {
  const auto open = [](const auto& request, const auto& answer) {
    return request.load(std::memory_order_acquire) != answer.load(std::memory_order_relaxed);
  };
  return open(control.service.flush_request, control.consumer.flush_done) ||
         open(control.tool_requests.flush, control.tool_answers.flush) ||
         open(control.losses.durable_flush_request, control.tool_answers.service_durable_flush) ||
         open(control.tool_requests.durable_flush, control.tool_answers.durable_flush) ||
         open(control.tool_requests.rotation, control.tool_answers.rotation) ||
         open(control.losses.rotation_request, control.tool_answers.service_rotation) ||
         open(control.snapshot_request.requested, control.snapshot_answer.answered);
}

// A ring whose thread has ended is used again only when a consumer has noted that.
bool needs_consumer(const shm::RingMetadata& ring) {
  const shm::ConsumerPositionLine& line = ring.consumer;
  if (line.quarantine.load(std::memory_order_relaxed) != 0) return false;
  if (ring.producer.producer_pos.load(std::memory_order_acquire) !=
      line.consumer_pos.load(std::memory_order_relaxed)) {
    return true;
  }
  if (ring.identity.state.load(std::memory_order_acquire) !=
      static_cast<std::uint32_t>(shm::RingState::kRetired)) {
    return false;
  }
  return line.generation.load(std::memory_order_relaxed) !=
             ring.identity.generation.load(std::memory_order_relaxed) ||
         line.booked_drops.load(std::memory_order_relaxed) !=
             ring.counters.dropped_total.load(std::memory_order_relaxed);
}

}  // namespace

bool has_pending_work(AttachedSegment& segment) {
  if (!segment.service_alive() || has_request(segment.control())) return true;
  if (segment.header().sub_buffer_bytes != 0) return false;  // read only on request
  const std::uint32_t used = segment.rings_used();
  for (std::uint32_t index = 0; index < used; ++index) {
    if (needs_consumer(segment.ring(index))) return true;
  }
  return false;
}

}  // namespace ringside::consumer
