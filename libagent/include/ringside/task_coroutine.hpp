#pragma once
/// @file
/// Coroutines of C++20 that are in a task while they run, and not while they are suspended. Empty
/// for compilers without coroutines.

#if defined(__cpp_impl_coroutine) && __cplusplus >= 202002L

#include <coroutine>
#include <string_view>
#include <type_traits>
#include <utility>

#include "task.hpp"

namespace ringside {

/// The part of a coroutine that knows its task.
///
/// Belongs to the coroutine, which is in one thread at a time.
class CoroutineTask {
 public:
  explicit CoroutineTask(Task task) noexcept : task_(std::move(task)) {}
  ~CoroutineTask() { leave(); }
  CoroutineTask(const CoroutineTask&) = delete;
  CoroutineTask& operator=(const CoroutineTask&) = delete;

  const Task& task() const noexcept { return task_; }

  /// The calling thread runs the coroutine: it is in the task. No effect if it is already.
  void enter() noexcept {
    if (is_entered_) return;
    is_entered_ = true;
    rs_task_enter(task_.get(), &entry_);
  }
  /// The coroutine suspends or ends. No effect if the thread is not in the task.
  void leave() noexcept {
    if (!is_entered_) return;
    is_entered_ = false;
    rs_task_leave(&entry_);
  }

 private:
  Task task_;
  rs_task_entry entry_{nullptr};
  bool is_entered_ = false;
};

namespace detail {

template <class Awaitable>
decltype(auto) awaiter_of(Awaitable&& awaitable) {
  if constexpr (requires { std::forward<Awaitable>(awaitable).operator co_await(); }) {
    return std::forward<Awaitable>(awaitable).operator co_await();
  } else if constexpr (requires { operator co_await(std::forward<Awaitable>(awaitable)); }) {
    return operator co_await(std::forward<Awaitable>(awaitable));
  } else {
    return std::forward<Awaitable>(awaitable);
  }
}

// Without an operator co_await, the awaitable itself: it lives until the end of the expression.
template <class Awaitable>
using Awaiter = decltype(awaiter_of(std::declval<Awaitable>()));

// Enters the task again when the coroutine did not suspend, because an exception was thrown.
class Reentry {
 public:
  explicit Reentry(CoroutineTask& task) noexcept : task_(&task) {}
  ~Reentry() {
    if (task_ != nullptr) task_->enter();
  }
  Reentry(const Reentry&) = delete;
  Reentry& operator=(const Reentry&) = delete;
  void dismiss() noexcept { task_ = nullptr; }

 private:
  CoroutineTask* task_;
};

}  // namespace detail

/// What a coroutine awaits: CoroutineTask is left before it suspends, and entered after it has
/// resumed, in whichever thread.
template <class Awaitable>
class TracedAwaitable {
 public:
  TracedAwaitable(CoroutineTask& task, Awaitable&& awaitable)
      : task_(&task), awaiter_(detail::awaiter_of(std::forward<Awaitable>(awaitable))) {}

  bool await_ready() { return awaiter_.await_ready(); }

  // Not inline: a compiler might store `reentry` in the coroutine, which another thread may already
  // have resumed or destroyed when this returns.
  template <class Promise>
  [[gnu::noinline]] auto await_suspend(std::coroutine_handle<Promise> coroutine) {
    task_->leave();
    detail::Reentry reentry(*task_);
    if constexpr (std::is_void_v<decltype(awaiter_.await_suspend(coroutine))>) {
      awaiter_.await_suspend(coroutine);
      reentry.dismiss();
    } else {
      auto next = awaiter_.await_suspend(coroutine);
      reentry.dismiss();
      return next;
    }
  }

  decltype(auto) await_resume() {
    task_->enter();
    return awaiter_.await_resume();
  }

 private:
  CoroutineTask* task_;
  detail::Awaiter<Awaitable> awaiter_;
};

/// `co_await ringside::traced(coroutine_task, awaitable)`: for a coroutine whose promise is not of
/// your own. The CoroutineTask is a local variable of the coroutine, which enters it first.
template <class Awaitable>
TracedAwaitable<Awaitable> traced(CoroutineTask& task, Awaitable&& awaitable) {
  return {task, std::forward<Awaitable>(awaitable)};
}

/// A base of the promise of coroutines that are in a task while they run.
///
///     struct promise_type : ringside::TaskPromise {
///       promise_type() : TaskPromise("fetch") {}
///       auto initial_suspend() noexcept { return begin(std::suspend_always{}); }
///       auto final_suspend() noexcept { return end(std::suspend_always{}); }
///       ...
///
/// Without a name, the coroutine is of the task in which it is created, like a function that it
/// calls. A promise that rethrows in unhandled_exception() calls leave_task() before.
class TaskPromise {
 public:
  TaskPromise() noexcept : task_(Task::current()) {}
  explicit TaskPromise(std::string_view name) noexcept : task_(Task(name)) {}
  explicit TaskPromise(Task task) noexcept : task_(std::move(task)) {}

  const Task& task() const noexcept { return task_.task(); }

  template <class Awaitable>
  TracedAwaitable<Awaitable> await_transform(Awaitable&& awaitable) {
    return {task_, std::forward<Awaitable>(awaitable)};
  }

 protected:
  void leave_task() noexcept { task_.leave(); }

  /// What initial_suspend() returns.
  template <class Awaitable>
  auto begin(Awaitable awaitable) noexcept {
    return Begin<Awaitable>{&task_, std::move(awaitable)};
  }
  /// What final_suspend() returns.
  template <class Awaitable>
  auto end(Awaitable awaitable) noexcept {
    return End<Awaitable>{&task_, std::move(awaitable)};
  }

 private:
  template <class Awaitable>
  struct Begin {
    CoroutineTask* task;
    Awaitable awaitable;

    bool await_ready() noexcept { return awaitable.await_ready(); }
    template <class Promise>
    auto await_suspend(std::coroutine_handle<Promise> coroutine) noexcept {
      return awaitable.await_suspend(coroutine);
    }
    void await_resume() noexcept {
      task->enter();
      awaitable.await_resume();
    }
  };

  template <class Awaitable>
  struct End {
    CoroutineTask* task;
    Awaitable awaitable;

    bool await_ready() noexcept {
      task->leave();
      return awaitable.await_ready();
    }
    template <class Promise>
    auto await_suspend(std::coroutine_handle<Promise> coroutine) noexcept {
      return awaitable.await_suspend(coroutine);
    }
    void await_resume() noexcept { awaitable.await_resume(); }
  };

  CoroutineTask task_;
};

}  // namespace ringside

#endif
