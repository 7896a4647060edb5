#pragma once
/// @file
/// Tasks, for C++17 and later: requests, coroutines and fibers that move between threads.

#include "required_platform.h"
// Before all others.
#include <cstdint>
#include <string_view>
#include <utility>

#include "task_abi.h"

namespace ringside {

/// Work that several threads do one after the other, or at the same time: a request, a coroutine, a
/// fiber. Records that a thread makes while it is in a task are the task's.
///
///     ringside::Task task("GET /orders");
///     pool.post([task] {
///       const ringside::Task::Scope in_task(task);
///       RS_INFO("loading");  // of the task, on whichever thread
///     });
///
/// Tools show the task as one track: `substream` is its number, and its context has the fields
/// `task` (the name), `task.id` (the number) and `task.step` (how often it was entered until then).
/// Within a task, `task.step` and then the number in the thread order the records, even if the
/// clocks of two processors disagree.
///
/// A task is in the contexts in which it was created, wherever it is entered. A copy is the same
/// task. A child of fork has copies of the tasks.
/// @par Thread safety
/// An object belongs to one thread at a time; copies may be used anywhere. Not in signal handlers.
/// A log call costs the same in a task as without one; the first one after a task was entered or
/// left takes the slow path.
class Task {
 public:
  /// No task: entering it changes nothing.
  Task() noexcept = default;
  /// A new one. The name is cut to 128 bytes. Without memory, records in it have no context.
  explicit Task(std::string_view name) noexcept : task_(rs_task_create(name.data(), name.size())) {}
  /// That in which the calling thread is; none if it is in none.
  static Task current() noexcept {
    Task task;
    task.task_ = rs_task_current();
    return task;
  }
  Task(const Task& other) noexcept : task_(rs_task_share(other.task_)) {}
  Task(Task&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  Task& operator=(Task other) noexcept {
    std::swap(task_, other.task_);
    return *this;
  }
  ~Task() { rs_task_release(task_); }

  /// Its number in the process, from 1; 0 if it is none, or if there was no memory.
  std::uint64_t id() const noexcept { return rs_task_id(task_); }
  explicit operator bool() const noexcept { return task_ != nullptr; }
  /// For the C interface.
  rs_task* get() const noexcept { return task_; }

  friend bool operator==(const Task& a, const Task& b) noexcept { return a.task_ == b.task_; }
  friend bool operator!=(const Task& a, const Task& b) noexcept { return a.task_ != b.task_; }

  /// In its scope, the calling thread is in the task. Scopes nest; contexts that begin in it end
  /// with it at the latest. Ends in the thread that created it: it must not be in the frame of a
  /// coroutine that suspends meanwhile, for which there is <ringside/task_coroutine.hpp>.
  class [[nodiscard]] Scope {
   public:
    explicit Scope(const Task& task) noexcept { rs_task_enter(task.task_, &entry_); }
    ~Scope() { rs_task_leave(&entry_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    rs_task_entry entry_;
  };

  /// The same: `const auto in_task = task.resume();`
  Scope resume() const noexcept { return Scope(*this); }

 private:
  rs_task* task_ = nullptr;
};

}  // namespace ringside
