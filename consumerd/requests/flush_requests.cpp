#include "consumerd/requests/flush_requests.hpp"

namespace ringside::consumer {

FlushRequests::FlushRequests(shm::ControlPage& control)
    : control_(control),
      service_(control.service.flush_request, control.consumer.flush_done),
      tool_(control.tool_requests.flush, control.tool_answers.flush),
      durable_service_(control.losses.durable_flush_request,
                       control.tool_answers.service_durable_flush),
      durable_tool_(control.tool_requests.durable_flush, control.tool_answers.durable_flush) {
  // A predecessor died during a sync, and may have taken its failure along.
  shm::ToolAnswers& answers = control.tool_answers;
  if (answers.syncing.load(std::memory_order_relaxed) == 0) return;
  answers.sync_failures.fetch_add(1, std::memory_order_relaxed);
  answers.syncing.store(0, std::memory_order_relaxed);
}

bool FlushRequests::asked() {
  const auto any_seen = [this] {
    return service_.is_seen() || tool_.is_seen() || durable_service_.is_seen() ||
           durable_tool_.is_seen();
  };
  if (any_seen()) return true;
  service_.look();
  tool_.look();
  // One durable flush after the other: a sync takes longer than the next request, and each request
  // would put off the answer to those before it.
  if (durable_is_answered()) {
    durable_service_.look();
    durable_tool_.look();
  }
  return any_seen();
}

bool FlushRequests::take(std::uint64_t sealed) {
  const bool is_durable = durable_service_.is_seen() || durable_tool_.is_seen();
  service_.take();
  tool_.take();
  durable_service_.take();
  durable_tool_.take();
  sealed_ = sealed;
  return is_durable;
}

void FlushRequests::answer(std::uint64_t written, const SyncState& sync) {
  if (written >= sealed_) {
    if (!service_.is_answered()) service_.answer();
    if (!tool_.is_answered()) tool_.answer();
  }
  shm::ToolAnswers& answers = control_.tool_answers;
  if (sync.failures != stated_failures_) {
    // At once: a successor does not know of them.
    answers.sync_failures.fetch_add(sync.failures - stated_failures_, std::memory_order_relaxed);
    stated_failures_ = sync.failures;
  }
  if (!sync.is_syncing && answers.syncing.load(std::memory_order_relaxed) != 0) {
    answers.syncing.store(0, std::memory_order_release);  // after the failures
  }
  if (!sync.is_synced) return;
  if (!durable_service_.is_answered()) durable_service_.answer();
  if (!durable_tool_.is_answered()) durable_tool_.answer();
}

}  // namespace ringside::consumer
