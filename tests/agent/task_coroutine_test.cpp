// Coroutines that are in a task while they run.

#include "libagent/include/ringside/task_coroutine.hpp"

#include <gtest/gtest.h>

#include "libagent/include/ringside/log.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

#if defined(__cpp_impl_coroutine)

#include <coroutine>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "shm-layout/dictionary_entry.hpp"

namespace ringside::test {
namespace {

using Texts = std::vector<std::string>;

// The records of a ring, each with the number and the step of its task, or "-".
Texts steps_told(std::uint32_t ring) {
  SegmentReader& segment = own_segment();
  Texts texts;
  std::string task = "-";
  for (const Record& record : segment.data(ring)) {
    const Site& site = segment.sites().at(record.code);
    if (site.kind != shm::SiteKind::kContext) {
      texts.push_back(site.format + ' ' + task);
      continue;
    }
    const auto number = [&record](std::size_t i) {
      return record.values[i].substr(record.values[i].find(' ') + 1);
    };
    task = site.fields.empty() ? "-" : number(1) + '.' + number(2);
  }
  return texts;
}

// Starts at once, and destroys itself.
struct Detached {
  struct promise_type : TaskPromise {
    promise_type() : TaskPromise("detached") {}
    Detached get_return_object() noexcept { return {}; }
    auto initial_suspend() noexcept { return begin(std::suspend_never{}); }
    auto final_suspend() noexcept { return end(std::suspend_never{}); }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

// Resumed by its owner or by what awaits it.
template <bool OwnTask>
struct Resumed {
  struct promise_type : TaskPromise {
    promise_type() requires OwnTask : TaskPromise("resumed") {}
    promise_type() requires(!OwnTask) {}
    Resumed get_return_object() noexcept {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    auto initial_suspend() noexcept { return begin(std::suspend_always{}); }
    struct Continue {
      std::coroutine_handle<> next;
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<>) noexcept { return next; }
      void await_resume() noexcept {}
    };
    auto final_suspend() noexcept { return end(Continue{next}); }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }

    std::coroutine_handle<> next = std::noop_coroutine();
  };

  Resumed(std::coroutine_handle<promise_type> made) : handle(made) {}
  Resumed(Resumed&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Resumed() {
    if (handle) handle.destroy();
  }

  bool await_ready() noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
    handle.promise().next = awaiting;
    return handle;
  }
  void await_resume() noexcept {}

  std::coroutine_handle<promise_type> handle;
};

// Resumes the coroutine in a thread of its own, maybe before await_suspend() has returned.
struct Elsewhere {
  std::thread* thread;
  bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> coroutine) {
    // The coroutine, of which this object is a part, may have ended before the assignment.
    std::thread* const other = thread;
    *other = std::thread([coroutine] {
      RS_INFO("thread");
      coroutine.resume();
      RS_INFO("thread ends");
    });
    RS_INFO("suspending");
  }
  int await_resume() noexcept { return 7; }
};

PROCESS_TEST(TaskCoroutine, IsInItsTaskOnEachThread) {
  std::thread thread;
  const auto run = [](std::thread* other) -> Detached {
    RS_INFO("begins");
    const int result = co_await Elsewhere{other};
    RS_INFO("resumed");
    EXPECT_EQ(result, 7);
  };
  RS_INFO("before");
  run(&thread);
  RS_INFO("after");
  thread.join();
  EXPECT_EQ(steps_told(0), (Texts{"before -", "begins 1.1", "suspending -", "after -"}));
  EXPECT_EQ(steps_told(1), (Texts{"thread -", "resumed 1.2", "thread ends -"}));
}

Resumed<false> inner_steps() {
  RS_INFO("inner");
  co_await std::suspend_always{};
  RS_INFO("inner again");
}

Resumed<true> outer_steps(std::coroutine_handle<>* inner) {
  RS_INFO("outer");
  Resumed<false> awaited = inner_steps();
  *inner = awaited.handle;
  co_await std::move(awaited);
  RS_INFO("outer again");
}

PROCESS_TEST(TaskCoroutine, SharesItsTaskWithCoroutinesItAwaits) {
  std::coroutine_handle<> inner;
  {
    const Resumed<true> outer = outer_steps(&inner);
    outer.handle.resume();
    RS_INFO("suspended");
    inner.resume();
    RS_INFO("ended");
  }
  EXPECT_EQ(steps_told(0), (Texts{"outer 1.1", "inner 1.2", "suspended -", "inner again 1.3",
                                  "outer again 1.4", "ended -"}));
}

struct NotSuspended {
  bool throws;
  bool await_ready() noexcept { return false; }
  bool await_suspend(std::coroutine_handle<>) {
    RS_INFO("not suspended");
    if (throws) throw std::runtime_error("refused");
    return false;
  }
  void await_resume() noexcept {}
};

PROCESS_TEST(TaskCoroutine, StaysInItsTaskIfItDoesNotSuspend) {
  [](bool throws) -> Detached {
    co_await std::suspend_never{};
    RS_INFO("ready");
    co_await NotSuspended{false};
    RS_INFO("refused");
    try {
      co_await NotSuspended{throws};
    } catch (const std::runtime_error&) {
      RS_INFO("caught");
    }
  }(true);
  RS_INFO("after");
  EXPECT_EQ(steps_told(0), (Texts{"ready 1.1", "not suspended -", "refused 1.2", "not suspended -",
                                  "caught 1.3", "after -"}));
}

PROCESS_TEST(TaskCoroutine, LeavesItsTaskWhenItIsDestroyed) {
  {
    const auto run = []() -> Resumed<true> {
      co_await std::suspend_always{};
      RS_INFO("never");
    };
    const Resumed<true> coroutine = run();
    coroutine.handle.resume();
  }
  RS_INFO("after");
  EXPECT_EQ(steps_told(0), (Texts{"after -"}));
}

// A promise that knows nothing of tasks.
struct Plain {
  struct promise_type {
    Plain get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

struct WithOperator {
  Elsewhere awaiter;
  Elsewhere operator co_await() const noexcept { return awaiter; }
};

PROCESS_TEST(TaskCoroutine, OfAnotherLibraryIsInItsTaskBetweenTracedAwaits) {
  std::thread thread;
  [](std::thread* other) -> Plain {
    CoroutineTask task{Task("plain")};
    task.enter();
    RS_INFO("begins");
    co_await traced(task, WithOperator{{other}});
    RS_INFO("resumed");
  }(&thread);
  RS_INFO("after");
  thread.join();
  EXPECT_EQ(steps_told(0), (Texts{"begins 1.1", "suspending -", "after -"}));
  EXPECT_EQ(steps_told(1), (Texts{"thread -", "resumed 1.2", "thread ends -"}));
}

}  // namespace
}  // namespace ringside::test

#else

TEST(TaskCoroutine, HeaderIsEmptyWithoutCoroutines) {
  SUCCEED() << "this compiler has no coroutines";
}

#endif
