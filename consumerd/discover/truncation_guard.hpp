#pragma once
// Survives the truncation of segments while they are mapped.
//
// A named file in a shared directory has no seals: its owner can truncate it at any time. From then
// on, an access to a page after the new end raises SIGBUS. So does an access to a hole when the
// shared-memory file system is full. Checking the size first would only narrow the window. Instead
// the handler of SIGBUS maps a private page of zeros over the missing one, marks the mapping, and
// lets the access continue. Zeros are harmless, since nothing in a segment is trusted anyway; code
// that copies out of a guarded mapping checks the mark afterwards and abandons the segment.
//
// For a fault outside of every guarded range, the default action is taken.

#include <atomic>
#include <cstddef>

namespace ringside::consumer {

// Installs the handler for the whole process. Without it, guarded ranges are not guarded.
void install_truncation_guard();

struct GuardNode;

// Guards one mapping while this object lives. Construction and destruction are not thread-safe
// among each other; faults may occur on any thread.
class GuardedRange {
 public:
  GuardedRange() = default;
  // `hit` is set when a page of [begin, begin + bytes) is missing. It must outlive this object.
  GuardedRange(const void* begin, std::size_t bytes, std::atomic<bool>* hit);
  GuardedRange(GuardedRange&& other) noexcept;
  GuardedRange& operator=(GuardedRange&& other) noexcept;
  ~GuardedRange() { release(); }

 private:
  void release();
  GuardNode* node_ = nullptr;
};

}  // namespace ringside::consumer
