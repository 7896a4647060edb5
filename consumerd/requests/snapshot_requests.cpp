#include "consumerd/requests/snapshot_requests.hpp"

#include <algorithm>
#include <cstring>

namespace ringside::consumer {

bool SnapshotRequests::asked() {
  // Pairs with the store of a tool.
  requested_ = control_.snapshot_request.requested.load(std::memory_order_acquire);
  return requested_ != control_.snapshot_answer.answered.load(std::memory_order_relaxed);
}

void SnapshotRequests::answer(const std::string& path, std::uint64_t records, std::uint64_t lost,
                              std::uint64_t overwritten) {
  shm::SnapshotAnswer& answer = control_.snapshot_answer;
  answer.records.store(records, std::memory_order_relaxed);
  answer.lost.store(lost, std::memory_order_relaxed);
  answer.overwritten.store(overwritten, std::memory_order_relaxed);
  std::memset(answer.path, 0, sizeof answer.path);
  std::memcpy(answer.path, path.data(), std::min(path.size(), sizeof answer.path - 1));
  // Pairs with the tool, which reads the words above after it has seen this one.
  answer.answered.store(requested_, std::memory_order_release);
}

}  // namespace ringside::consumer
