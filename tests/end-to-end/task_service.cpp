// Threads that share tasks: each takes one, logs in it, and gives it back. Each record states in
// its own fields which context it must have, and its place in the order of its task.
// usage: THREADS RECORDS SEED [fork]; 0 records: until it is killed.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <ringside/context.hpp>
#include <ringside/event.hpp>
#include <ringside/span.hpp>
#include <ringside/task.hpp>
#include <sys/wait.h>

namespace {

struct Work {
  ringside::Task task;
  std::string name;
  std::string context;  // of its creation, as text
  std::uint64_t steps = 0;
  std::uint64_t order = 0;
};

class Works {
 public:
  // `outer`: the context of the calling thread, which a new one inherits.
  Work take(std::mt19937_64& random, const std::string& outer) {
    {
      const std::lock_guard lock(mutex_);
      if (idle_.size() > 4 || (!idle_.empty() && random() % 4 != 0)) {
        std::swap(idle_[random() % idle_.size()], idle_.back());
        Work work = std::move(idle_.back());
        idle_.pop_back();
        return work;
      }
    }
    Work work;
    work.name = "work" + std::to_string(random() % 5);
    if (random() % 2 == 0) {
      const std::uint64_t user = random() % 100;
      const ringside::Context context{{"user", user}};
      work.context = "user=" + std::to_string(user) + ";";
      work.task = ringside::Task(work.name);
    } else {
      work.context = outer;
      work.task = ringside::Task(work.name);
    }
    return work;
  }

  void give_back(Work work) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(work));
  }

 private:
  std::mutex mutex_;
  std::vector<Work> idle_;
};

class Worker {
 public:
  Worker(Works& works, std::uint64_t seed) : works_(works), random_(seed) {}

  void run(std::uint64_t records) {
    const std::uint64_t end = records == 0 ? UINT64_MAX : records;
    while (number_ < end) {
      log(nullptr, 0, {});
      run_task(0, {});
    }
  }

 private:
  void log(Work* work, std::uint64_t step, const std::string& more) {
    std::string expected;
    if (work != nullptr) {
      expected = "task=" + work->name + ";task.id=" + std::to_string(work->task.id()) +
                 ";task.step=" + std::to_string(step) + ";" + work->context;
    }
    expected += more;
    const std::uint64_t order = work != nullptr ? ++work->order : 0;
    if (random_() % 4 == 0) {
      RS_SPAN("span", RS_NAMED("number", number_), RS_ARG(order));
    } else {
      RS_EVENT(INFO, "record", RS_NAMED("number", number_), RS_ARG(order), RS_ARG(expected));
    }
    ++number_;
  }

  void run_task(unsigned depth, const std::string& outer) {
    Work work = works_.take(random_, outer);
    {
      const ringside::Task::Scope in_task(work.task);
      const std::uint64_t step = ++work.steps;
      const std::uint64_t actions = random_() % 6;
      for (std::uint64_t i = 0; i < actions; ++i) {
        switch (random_() % 8) {
          case 0:
            if (depth < 3) run_task(depth + 1, work.context);
            break;
          case 1: {
            const std::uint64_t part = random_() % 10;
            const ringside::Context context{{"part", part}};
            log(&work, step, "part=" + std::to_string(part) + ";");
            break;
          }
          default:
            log(&work, step, {});
        }
      }
    }
    // Otherwise it ends here, and its number is not used again.
    if (random_() % 16 != 0) works_.give_back(std::move(work));
  }

  Works& works_;
  std::mt19937_64 random_;
  std::uint64_t number_ = 0;
};

// A task that is entered when the process forks, and another one that is not.
int log_after_fork() {
  const ringside::Task one("one");
  const ringside::Task two("two");
  const ringside::Task::Scope in_one(one);
  const auto log = [](std::string_view expected) {
    RS_EVENT(INFO, "record", RS_NAMED("order", 0), RS_ARG(expected));
  };
  log("task=one;task.id=1;task.step=1;");
  const pid_t child = fork();
  if (child == 0) {
    log("task=one;task.id=1;task.step=1;");
    {
      const ringside::Task::Scope in_two(two);
      log("task=two;task.id=2;task.step=1;");
    }
    log("task=one;task.id=1;task.step=1;");
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const ringside::Task::Scope in_two(two);
  log("task=two;task.id=2;task.step=1;");
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto threads = static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10));
  const std::uint64_t records = std::strtoull(argv[2], nullptr, 10);
  const std::uint64_t seed = std::strtoull(argv[3], nullptr, 10);
  if (argc > 4 && std::string_view(argv[4]) == "fork") return log_after_fork();
  Works works;
  std::vector<std::thread> all;
  for (unsigned i = 0; i < threads; ++i) {
    all.emplace_back([&works, records, seed, i] { Worker(works, seed * 1000 + i).run(records); });
  }
  for (std::thread& thread : all) thread.join();
  return 0;
}
