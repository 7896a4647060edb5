// Logs from every place that runs while a process ends, while a detached thread keeps logging.
//
// usage: exit_order [thread]: the main thread calls exit, or another thread does.

#include <atomic>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "libagent/include/ringside/ringside.hpp"

namespace {

std::atomic<bool> g_other_logs{false};

struct LastWords {
  const char* text;
  ~LastWords() { RS_INFO("%s", text); }
};

thread_local LastWords t_first{"thread-local destructor"};
LastWords g_last{"static destructor"};

void log_for_ever() {
  for (unsigned long i = 0;; ++i) {
    RS_INFO("other thread %lu", i);
    g_other_logs.store(true);
  }
}

[[noreturn]] void leave() {
  static_cast<void>(t_first.text);
  std::atexit([] { RS_INFO("%s", "exit handler"); });
  RS_INFO("%s", "before exit");
  std::exit(7);
}

}  // namespace

int main(int argc, char** argv) {
  std::thread(log_for_ever).detach();
  while (!g_other_logs.load()) std::this_thread::yield();
  if (argc > 1 && std::string_view(argv[1]) == "thread") {
    std::thread(leave).join();
  }
  leave();
}
