#include "tools/scheduling/thread_runs.hpp"

#include <algorithm>

namespace ringside::tool {

void ThreadRuns::release(std::uint32_t thread_id, const SwitchRecord& record, RunEnd end) {
  const auto found = threads_.try_emplace(thread_id, Thread{.since_ns = record.unix_ns}).first;
  Thread& thread = found->second;
  if (thread.state != State::kWaits) {
    use_({.thread_id = thread_id,
          .processor = record.processor,
          .begin_unix_ns = std::min(thread.since_ns, record.unix_ns),
          .end_unix_ns = record.unix_ns,
          .end = end});
  }
  thread.state = State::kWaits;
  thread.since_ns = record.unix_ns;
}

void ThreadRuns::add(const SwitchRecord& record) {
  switch (record.kind) {
    case SwitchKind::kIn: {
      // If it seems to run, the record of its end was lost.
      threads_[record.thread_id] = {
          .state = State::kRuns, .since_ns = record.unix_ns, .processor = record.processor};
      return;
    }
    case SwitchKind::kWaited:
      return release(record.thread_id, record, RunEnd::kWaited);
    case SwitchKind::kPreempted:
      return release(record.thread_id, record, RunEnd::kPreempted);
    case SwitchKind::kBegan:
      threads_[record.thread_id] = {.state = State::kWaits, .since_ns = record.unix_ns};
      return;
    case SwitchKind::kEnded:
      release(record.thread_id, record, RunEnd::kEnded);
      threads_.erase(record.thread_id);
      return;
    case SwitchKind::kLost:
      // The switches of any thread can be among them.
      for (auto& [id, thread] : threads_) {
        thread.state = State::kWaits;
        thread.since_ns = record.unix_ns;
      }
      return;
    case SwitchKind::kNamed:
      return;
  }
}

void ThreadRuns::finish(std::uint64_t unix_ns) {
  for (auto& [id, thread] : threads_) {
    if (thread.state != State::kRuns || thread.since_ns >= unix_ns) continue;
    use_({.thread_id = id,
          .processor = thread.processor,
          .begin_unix_ns = thread.since_ns,
          .end_unix_ns = unix_ns,
          .end = RunEnd::kUnknown});
    thread.state = State::kWaits;
  }
}

}  // namespace ringside::tool
