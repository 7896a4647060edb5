// Crashes in a given way, or ends in another one, with or without the handlers of crashes.
//
// usage: crashing_service WAY [without] [chain|recover [again]|spent|ignore] [thread|silent]
//
// `without`: without the handlers. `chain`: a handler that was there before says so and ends the
// process by the signal. `spent`: the same with SA_RESETHAND. `recover`: it leaves the fault by
// siglongjmp, and the process exits; `again`: after it has crashed once more. `ignore`: the signals
// were ignored. `thread`: the crash is that of another thread; `silent`: of one that has logged
// nothing.

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include <ringside/crash.hpp>
#include <ringside/ringside.hpp>
#include <sys/mman.h>
#include <sys/wait.h>

namespace {

// Values that the compiler cannot know.
volatile int g_zero = 0;
volatile int g_orders = 7;
int* volatile g_null = nullptr;
void (*volatile g_no_code)() = nullptr;
sigjmp_buf g_recovery;
int g_recoveries = 0;

[[gnu::noinline]] void write_to_null() {
  *g_null = 1;
  std::puts("");  // not a tail call
}

[[gnu::noinline]] void divide_by_zero() {
  g_zero = g_orders / g_zero;
  std::puts("");
}

[[gnu::noinline]] void call_no_code() {
  g_no_code();
  std::puts("");
}

[[gnu::noinline]] int recurse_forever(int depth) {
  volatile char used[256];
  used[depth % 256] = 1;
  if (g_zero != 0) return 0;  // never: for the compiler
  return recurse_forever(depth + 1) + used[0];
}

[[gnu::noinline]] void give_up() {
  std::abort();
}

[[gnu::noinline]] void throw_uncaught() {
  throw std::runtime_error("no such order");
}

[[gnu::noinline]] void throw_a_number() {
  throw 42;
}

void handle_order() noexcept {
  throw_uncaught();
}

[[gnu::noinline]] void read_past_the_end_of_a_file() {
  char path[] = "/tmp/ringside-test-XXXXXX";
  const int file = mkstemp(path);
  unlink(path);
  if (ftruncate(file, 4096) != 0) _exit(99);
  void* const memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (ftruncate(file, 0) != 0) _exit(99);
  *static_cast<volatile char*>(memory) = 1;
  std::puts("");
}

[[gnu::noinline]] void execute_nonsense() {
#if defined(__x86_64__)
  __asm__ volatile("ud2");
#else
  __asm__ volatile("udf #0");
#endif
  std::puts("");
}

[[gnu::noinline]] void trap() {
#if defined(__x86_64__)
  __asm__ volatile("int3");
#else
  __asm__ volatile("brk #0");
#endif
  std::puts("");
}

// As if a fault had interrupted a log call between its reservation and its publication.
[[gnu::noinline]] void fault_within_a_log_call() {
  std::uint64_t tsc = 0;
  rs_reserve(RS_SWITCH_ON, 8, &tsc);
  *g_null = 1;
}

[[gnu::noinline]] void free_twice() {
  void* volatile block = std::malloc(64);
  void* const again = block;
  std::free(block);
  std::free(again);
  std::puts("");
}

// Nothing above this function can be unwound: the registers and the stack are wrong.
[[gnu::noinline]] void lose_the_stack() {
#if defined(__x86_64__)
  __asm__ volatile(
      "mov $0x10, %%rsp\n\t"
      "mov $0x18, %%rbp\n\t"
      "movl $1, 0\n\t" ::
          : "memory");
#else
  *g_null = 1;
#endif
}

// The return addresses are overwritten, as by an overflow of a local array.
[[gnu::noinline]] void overwrite_the_stack() {
  auto* const frame = static_cast<volatile std::uint64_t*>(__builtin_frame_address(0));
  for (int i = 0; i < 64; ++i) frame[i] = 0x4141414141414141;
  *g_null = 1;
}

[[gnu::noinline]] void crash_in_a_child() {
  const pid_t child = fork();
  if (child != 0) {
    waitpid(child, nullptr, 0);
    return;
  }
  RS_INFO("in the child");
  write_to_null();
}

// The child uses the memory of this process, also that of the handler.
[[gnu::noinline]] void crash_after_a_child_of_vfork() {
  const pid_t child = vfork();
  if (child == 0) write_to_null();
  waitpid(child, nullptr, 0);
  *g_null = 1;
  std::puts("");
}

// Logs on four threads until the process is killed.
[[noreturn]] void log_forever() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      for (std::uint64_t n = 0;; ++n) RS_INFO("thread %d record %lu", i, n);
    });
  }
  std::puts("ready");
  std::fflush(stdout);
  for (;;) pause();
}

[[gnu::noinline]] void end(std::string_view way) {
  if (way == "null") write_to_null();
  if (way == "overflow") recurse_forever(0);
  if (way == "abort") give_up();
  if (way == "exception") throw_uncaught();
  if (way == "number") throw_a_number();
  if (way == "noexcept") handle_order();
  if (way == "division") divide_by_zero();
  if (way == "truncated") read_past_the_end_of_a_file();
  if (way == "illegal") execute_nonsense();
  if (way == "trap") trap();
  if (way == "logging") fault_within_a_log_call();
  if (way == "call") call_no_code();
  if (way == "twice") free_twice();
  if (way == "lost") lose_the_stack();
  if (way == "overwritten") overwrite_the_stack();
  if (way == "raise") std::raise(SIGSEGV);
  if (way == "killed") kill(getpid(), SIGKILL);
  if (way == "forever") log_forever();
  if (way == "forked") crash_in_a_child();
  if (way == "vforked") crash_after_a_child_of_vfork();
  if (way == "terminate") {
    std::set_terminate([] { _exit(7); });
    ringside::install_crash_handler();
    throw_uncaught();
  }
}

void say_and_end(int number) {
  static const char text[] = "former handler\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(99);
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void recover(int) {
  siglongjmp(g_recovery, 1);
}

void install_former(std::string_view how) {
  struct sigaction action {};
  action.sa_handler = how == "recover" ? recover : how == "ignore" ? SIG_IGN : say_and_end;
  if (how == "spent") action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP}) {
    sigaction(number, &action, nullptr);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  const auto has = [&words](std::string_view word) {
    for (const std::string_view each : words) {
      if (each == word) return true;
    }
    return false;
  };
  const std::string_view way = words.empty() ? "" : words[0];
  for (const std::string_view how : {"chain", "recover", "spent", "ignore"}) {
    if (has(how)) install_former(how);
  }
  if (way != "terminate" && !has("without") && !ringside::install_crash_handler()) return 98;
  for (int i = 0; i < 20; ++i) RS_INFO("before the end %d", i);
  if (sigsetjmp(g_recovery, 1) != 0) {
    RS_INFO("recovered");
    if (has("again") && g_recoveries++ == 0) end(way);
    return 0;
  }
  if (has("thread")) {
    std::thread([way] {
      RS_INFO("in a thread");
      end(way);
    }).join();
  } else if (has("silent")) {
    std::thread([way] { end(way); }).join();
  } else {
    end(way);
  }
}
