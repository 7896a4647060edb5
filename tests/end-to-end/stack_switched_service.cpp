// A service that executes statements on request, line by line on standard input:
//
//     all N      one statement of each style, with the number N, from a function of its own
//     thread N   the same in a new thread
//     loop N     N executions of one statement
//     gate N     N executions of a statement that records one in ten
//     solo N     N executions of another one
//     handler N  a handler that interrupts the record of another statement
//     jump N     a handler that interrupts such a record and does not return to it
//     fork N     the statements in a child
//     span N     a span
//
// It answers each line with "done" once its log calls have returned. Each function log_STYLE() is
// called by call_STYLE() only.

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>

#include <ringside/event.hpp>
#include <ringside/format.hpp>
#include <ringside/ringside.hpp>
#include <ringside/span.hpp>
#include <ringside/stream.hpp>
#include <ringside/text.hpp>
#include <sys/wait.h>

#include "stack_switched_statements.h"

namespace {

std::atomic<int> g_last{0};  // a function that stores it makes no tail call

[[gnu::noinline]] void log_printf(int number) {
  RS_INFO("printf %d of %s", number, "two");
  g_last = number;
}
[[gnu::noinline]] void log_brace(int number) {
  RS_FMT(INFO, "brace {} of {}", number, "two");
  g_last = number;
}
[[gnu::noinline]] void log_event(int number) {
  RS_EVENT(INFO, "event", RS_ARG(number));
  g_last = number;
}
[[gnu::noinline]] void log_stream(int number) {
  RS_STREAM(INFO) << "stream " << number;
  g_last = number;
}
[[gnu::noinline]] void log_text(int number) {
  char text[32] = {};
  std::snprintf(text, sizeof text, "text %d", number);
  RS_TEXT(RS_LEVEL_INFO, static_cast<const char*>(text));
  g_last = number;
}
[[gnu::noinline]] void log_consumer_clock(int number) {
  RS_LOG_CONSUMER_CLOCK(RS_LEVEL_INFO, "consumer clock %d", number);
  g_last = number;
}
[[gnu::noinline]] void log_many(int number) {
  const std::uint64_t n = static_cast<std::uint64_t>(number);
  RS_INFO("many %d %lu %lu %lu %lu %lu %lu %lu %lu", number, n, n, n, n, n, n, n, n);
  g_last = number;
}
[[gnu::noinline]] void log_large(int number) {
  static char text[2 << 20];
  std::memset(text, 'x', sizeof text - 1);
  RS_INFO("large %d %s", number, static_cast<const char*>(text));
  g_last = number;
}

#define CALLER(style_)                               \
  [[gnu::noinline]] void call_##style_(int number) { \
    log_##style_(number);                            \
    g_last = number + 1;                             \
  }
CALLER(printf)
CALLER(brace)
CALLER(event)
CALLER(stream)
CALLER(text)
CALLER(consumer_clock)
CALLER(many)
CALLER(large)
CALLER(in_c)
CALLER(c_event)

void log_all(int number) {
  call_printf(number);
  call_brace(number);
  call_event(number);
  call_stream(number);
  call_text(number);
  call_consumer_clock(number);
  call_many(number);
  call_large(number);
  call_in_c(number);
  call_c_event(number);
}

void log_gated(int count) {
  for (int i = 0; i < count; ++i) {
    RS_EVERY_N(10, RS_INFO("gated %d", i));
    RS_INFO("beside %d", i);
  }
}

void log_solo(int count) {
  for (int i = 0; i < count; ++i) RS_EVERY_N(10, RS_INFO("solo %d", i));
}

sigjmp_buf g_before;
bool g_jumps = false;

void on_signal(int) {
  RS_INFO("handler %d", g_last.load());
  if (g_jumps) siglongjmp(g_before, 1);
}

// The signal comes between the reservation of a record with a stack and its publication.
[[gnu::noinline]] int interrupt(int number) {
  g_last = number;
  std::raise(SIGUSR1);
  return number;
}

rs_site& interrupted_site() {
  static rs_site site = [] {
    rs_site described{};
    described.state = &rs_initial_switch;
    described.format = "interrupted";
    described.file = __FILE__;
    described.function = "log_interrupted";
    described.arguments = "";
    described.level = RS_LEVEL_INFO;
    described.style = RS_STYLE_PRINTF;
    described.line = 100'000;
    return described;
  }();
  return site;
}

[[gnu::noinline]] void log_interrupted(int number) {
  rs_site& site = interrupted_site();
  const std::uint8_t state = rs_site_enabled(&site);
  if (state == 0) return;
  std::uint64_t tsc = 0;
  const std::uint64_t start = rs_reserve(state, 8, &tsc);
  if (start >= RS_DROPPED) return rs_dropped(&site, start);
  unsigned char* const place = rs_place(start);
  interrupt(number);
  const std::uint64_t head = tsc << RS_HEAD_ID_BITS | site.id;
  std::memcpy(place, &head, sizeof head);
  rs_publish(start, 8);
  g_last = number;
}

[[gnu::noinline]] void jump(int number) {
  g_jumps = true;
  if (sigsetjmp(g_before, 1) == 0) log_interrupted(number);
  g_jumps = false;
  RS_INFO("after the jump %d", number);
}

}  // namespace

int main() {
  std::signal(SIGUSR1, on_signal);
  ringside::init();
  rs_site_enabled(&interrupted_site());
  char line[64] = {};
  std::puts("ready");
  std::fflush(stdout);
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    const char* const blank = std::strchr(line, ' ');
    const int number = blank != nullptr ? std::atoi(blank) : 0;
    if (std::strncmp(line, "all", 3) == 0) {
      log_all(number);
    } else if (std::strncmp(line, "thread", 6) == 0) {
      std::thread(log_all, number).join();
    } else if (std::strncmp(line, "loop", 4) == 0) {
      for (int i = 0; i < number; ++i) call_printf(i);
    } else if (std::strncmp(line, "gate", 4) == 0) {
      log_gated(number);
    } else if (std::strncmp(line, "solo", 4) == 0) {
      log_solo(number);
    } else if (std::strncmp(line, "handler", 7) == 0) {
      log_interrupted(number);
    } else if (std::strncmp(line, "jump", 4) == 0) {
      jump(number);
    } else if (std::strncmp(line, "fork", 4) == 0) {
      const pid_t child = fork();
      if (child == 0) {
        log_all(number);
        _exit(0);
      }
      int status = 0;
      waitpid(child, &status, 0);
    } else if (std::strncmp(line, "span", 4) == 0) {
      RS_SPAN("lookup");
    } else {
      return 2;
    }
    std::puts("done");
    std::fflush(stdout);
  }
  return 0;
}
