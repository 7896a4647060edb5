#pragma once
// When what is written to trace files is synced, so that it survives a crash of the machine.

#include <chrono>

namespace ringside::consumer {

enum class SyncWhen {
  kNever,     // except for durable flushes
  kInterval,  // a sync of a file begins at most `interval` after its oldest unsynced byte
  kAlways,    // nothing counts as written before it is synced
};

struct SyncPolicy {
  SyncWhen when = SyncWhen::kNever;
  std::chrono::milliseconds interval{0};

  bool syncs() const { return when != SyncWhen::kNever; }
};

}  // namespace ringside::consumer
