#pragma once
// The library may call code that a program can replace: an allocator that logs. Its log statements
// find the thread inside the library, perhaps with a lock held.

namespace ringside {

// While one exists, signals of the thread are blocked. So a call that finds it active was made by
// the library itself. Such a call must take no lock and must not call the allocator again: it
// records if the thread has a ring and the statement is known, and is counted as lost otherwise.
class ReentryGuard {
 public:
  ReentryGuard() { enter(); }
  ~ReentryGuard() { leave(); }
  ReentryGuard(const ReentryGuard&) = delete;
  ReentryGuard& operator=(const ReentryGuard&) = delete;

  // For callers that block the signals only then.
  static void enter() { ++depth_; }
  static void leave() { --depth_; }
  static bool is_active() { return depth_ != 0; }

 private:
  static inline constinit thread_local int depth_ = 0;
};

}  // namespace ringside
