#include "consumerd/requests/flush_requests.hpp"

namespace ringside::consumer {

FlushRequests::FlushRequests(shm::ControlPage& control)
    : control_(control),
      service_seen_(control.consumer.flush_done.load(std::memory_order_relaxed)),
      tool_seen_(control.tool_answers.flush.load(std::memory_order_relaxed)),
      service_taken_(service_seen_),
      tool_taken_(tool_seen_) {}

bool FlushRequests::asked() {
  if (service_seen_ != service_taken_ || tool_seen_ != tool_taken_) return true;
  // Pairs with flush() and with the store of a tool.
  service_seen_ = control_.service.flush_request.load(std::memory_order_acquire);
  tool_seen_ = control_.tool_requests.flush.load(std::memory_order_acquire);
  return service_seen_ != service_taken_ || tool_seen_ != tool_taken_;
}

void FlushRequests::take(std::uint64_t sealed) {
  service_taken_ = service_seen_;
  tool_taken_ = tool_seen_;
  sealed_ = sealed;
}

void FlushRequests::answer(std::uint64_t written) {
  if (written < sealed_) return;
  // Pairs with the acquire in flush() and with the reading tool: the bytes are in the file.
  if (control_.consumer.flush_done.load(std::memory_order_relaxed) != service_taken_) {
    control_.consumer.flush_done.store(service_taken_, std::memory_order_release);
  }
  if (control_.tool_answers.flush.load(std::memory_order_relaxed) != tool_taken_) {
    control_.tool_answers.flush.store(tool_taken_, std::memory_order_release);
  }
}

}  // namespace ringside::consumer
