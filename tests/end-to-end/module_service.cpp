// Records stacks where records of modules are easily missing.
//
// usage: module_service WAY
//
// `forked`: a child of fork records stacks; the parent forked while another thread recorded the
// modules. `main_ended`: a thread records a stack after the main thread has ended. `recorder`: a
// stack, then 20 other records, 2,000 times. `later`: two stacks, and the coarse clock goes on by
// 61 seconds between them.

#include <atomic>
#include <cstddef>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <string_view>
#include <thread>
#include <unistd.h>

#include <ringside/ringside.hpp>
#include <ringside/stack.hpp>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace {

std::atomic<int> g_ahead_s{0};
volatile int g_last = 0;  // a function that stores it makes no tail call

[[gnu::noinline]] void record_stack(const char* where) {
  RS_STACK(WARNING, "where", RS_ARG(where));
  g_last = 1;
}

// So many mappings that it takes milliseconds to read their list.
void map_many() {
  constexpr std::size_t kPages = 30'000;
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const pages = static_cast<char*>(
      mmap(nullptr, kPages * page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (std::size_t i = 0; i < kPages; i += 2)
    mprotect(pages + i * page_bytes, page_bytes, PROT_NONE);
}

void fork_while_modules_are_recorded() {
  map_many();
  std::atomic<bool> begins{false};
  std::thread recorder([&begins] {
    RS_INFO("the thread has a ring");
    begins = true;
    record_stack("thread");
  });
  while (!begins) {
  }
  // At different times, because another process may delay the thread.
  for (int i = 0; i < 5; ++i) {
    usleep(1000);
    const pid_t child = fork();
    if (child == 0) {
      record_stack("child");
      record_stack("child");
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  recorder.join();
}

// The list of the mappings is empty then, under the name of the main thread.
void wait_for_the_end_of_main() {
  char byte = 0;
  for (;;) {
    const int file = open("/proc/self/maps", O_RDONLY);
    const bool is_empty = file < 0 || read(file, &byte, 1) <= 0;
    close(file);
    if (is_empty) return;
    usleep(1000);
  }
}

void* record_after_main(void*) {
  wait_for_the_end_of_main();
  record_stack("after main");
  return nullptr;
}

void record_many() {
  for (int i = 0; i < 2000; ++i) {
    record_stack("recorder");
    for (int k = 0; k < 20; ++k) RS_INFO("filler %d %d", i, k);
  }
}

}  // namespace

// The library's reads of the clock come here.
extern "C" [[gnu::visibility("default")]] int clock_gettime(clockid_t clock,
                                                            timespec* time) noexcept {
  const auto result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  if (clock == CLOCK_MONOTONIC_COARSE) time->tv_sec += g_ahead_s;
  return result;
}

int main(int, char** argv) {
  const std::string_view way = argv[1];
  if (way == "forked") fork_while_modules_are_recorded();
  if (way == "recorder") record_many();
  if (way == "later") {
    record_stack("now");
    record_stack("now");
    g_ahead_s = 61;
    record_stack("later");
    record_stack("later");
  }
  if (way == "main_ended") {
    pthread_t thread{};
    if (pthread_create(&thread, nullptr, record_after_main, nullptr) != 0) return 1;
    pthread_exit(nullptr);
  }
}
