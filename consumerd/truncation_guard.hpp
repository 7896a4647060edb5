#pragma once
// Survives segments that are cut short while they are mapped.
//
// A named file in a shared directory has no seals: its owner may truncate it at any time, and
// from then on touching a page behind the new end raises SIGBUS. So does touching a hole when the
// shared-memory file system is full. Checking the size first would only narrow the window. Instead
// the handler of SIGBUS lays a private page of zeros over the missing one, marks the mapping, and
// lets the access go on. Zeros are harmless, since nothing in a segment is trusted anyway; whoever
// copies out of a guarded mapping looks at the mark afterwards and gives the segment up.
//
// A fault outside of every guarded range is not ours: the default action takes its course.

#include <atomic>
#include <cstddef>

namespace ringside::consumer {

// Installs the handler, for the whole process. Without it guarded ranges are just not guarded.
void install_truncation_guard();

struct GuardNode;

// One mapping under guard while this object lives. Construction and destruction are not
// thread-safe among each other; faults may come on any thread.
class GuardedRange {
 public:
  GuardedRange() = default;
  // `hit` is set when a page of [begin, begin + bytes) was missing. It must outlive this object.
  GuardedRange(const void* begin, std::size_t bytes, std::atomic<bool>* hit);
  GuardedRange(GuardedRange&& other) noexcept;
  GuardedRange& operator=(GuardedRange&& other) noexcept;
  ~GuardedRange() { release(); }

 private:
  void release();
  GuardNode* node_ = nullptr;
};

}  // namespace ringside::consumer
