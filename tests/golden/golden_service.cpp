// The service whose traces are the golden files: a few records of every kind that the front end
// creates. README.md describes how it was run.
//
// usage: golden_service kinds | losses | steps | collected | contexts | spans | stacks
//   kinds      all conversions and levels, long and cut texts, two threads
//   losses     more than a ring of 64 KiB holds
//   steps      ten records for each line of standard input, flushed; kills itself at its end
//   collected  four executions of three statements for each line of standard input, flushed;
//              sets its own level at the end
//   contexts   contexts with all types of fields, nested, of two threads, over two flushes
//   spans      spans, counters, histograms, marks
//   stacks     stacks of two places, one of them twice

#include <chrono>
#include <cinttypes>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <pthread.h>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>

#include <ringside/context.hpp>
#include <ringside/ringside.hpp>
#include <ringside/span.hpp>
#include <ringside/stack.hpp>

namespace {

void log_integers() {
  for (int i = 0; i < 6; ++i) {
    RS_INFO("char %hhd %hhu short %hd %hu", static_cast<signed char>(-3 * i),
            static_cast<unsigned char>(50 * i), static_cast<short>(-7000 * i),
            static_cast<unsigned short>(13000 * i));
    RS_INFO("int %d %u %x %#X %o long %ld %lu %llx", -i, 1000U * static_cast<unsigned>(i),
            255U << i, 7U << i, 8U << i, -100'000'000'000L * i, 1UL << (10 * i),
            0xF00DULL << (8 * i));
    RS_INFO("size %zu difference %td max %jd|%5d|%-5d|%05d|%+d|%*d", sizeof(int) << i,
            static_cast<std::ptrdiff_t>(-i), static_cast<std::intmax_t>(i), i, i, i, i, 3 + i, i);
  }
}

void log_numbers_and_texts() {
  const std::string long_text(300, '=');
  const char* const names[] = {"alpha", "beta", "", "gamma", "alpha", "delta epsilon"};
  const char* const no_text = nullptr;
  for (int i = 0; i < 6; ++i) {
    RS_NOTICE("double %f %.3e %g %.0f long double %Lf", 0.25 * i, 1e10 / (1 + i), 1e-5 * i, 2.5 * i,
              1.0L / (1 + i));
    RS_WARNING("text '%s' '%-8s' '%.3s' null '%s' UTF-8 %s", names[i], names[5 - i], names[i],
               no_text, i % 2 == 0 ? "Grüße, 世界" : "🙂");
    RS_ERROR("pointer %p %p character %c%%",
             reinterpret_cast<const void*>(0x7f0000001000 + 16L * i),
             static_cast<const void*>(nullptr), 'a' + i);
  }
  RS_CRITICAL("%s", long_text.c_str());
  RS_TRACE("nothing but text");
  RS_DEBUG("nothing but text, otherwise");
  RS_LOG_CONSUMER_CLOCK(RS_LEVEL_INFO, "stamped by the consumer");
}

void log_kinds() {
  std::thread worker([] {
    pthread_setname_np(pthread_self(), "worker");
    log_integers();
    log_numbers_and_texts();
  });
  worker.join();
  log_numbers_and_texts();
  std::string large;
  for (int i = 0; i < 5000; ++i) large += "äbcd";
  RS_INFO("cut: %s", large.c_str());
  RS_INFO("the last one");
}

void log_losses() {
  for (long i = 0; i < 600; ++i) {
    RS_INFO("%ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld",
            i, 0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
  }
}

void log_steps() {
  char line[16];
  int number = 0;
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    for (int i = 0; i < 10; ++i) RS_INFO("step %d", number++);
    std::puts(ringside::flush(std::chrono::seconds(60)) ? "flushed" : "not flushed");
    std::fflush(stdout);
  }
  RS_INFO("about to be killed after %d records", number);
  kill(getpid(), SIGKILL);
}

void log_collected() {
  char line[16];
  int number = 0;
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    for (int i = 0; i < 4; ++i, ++number) {
      const char* const password = i % 2 == 0 ? "12345" : "secret";
      RS_DEBUG("detail %d", number);
      RS_INFO("login %d with %s", number, password);
      RS_WARNING("retry %d", number);
    }
    std::puts(ringside::flush(std::chrono::seconds(60)) ? "flushed" : "not flushed");
    std::fflush(stdout);
  }
  ringside::set_level(ringside::Level::error);
  RS_ERROR("stopped after %d", number);
}

void log_in_contexts(std::uint64_t user) {
  RS_INFO("no context");
  const ringside::Context outer{{"user", user}, {"tenant", user % 2 == 0 ? "acme" : "Grüße"}};
  for (int i = 0; i < 3; ++i) RS_INFO("outer %d", i);
  {
    const ringside::Context inner{
        {"user", -1}, {"ratio", 0.5}, {"ok", true}, {"long text", std::string_view("a\n\"b\"")}};
    RS_WARNING("inner %s", "text");
    // An extent of its own, which begins in the context.
    ringside::flush(std::chrono::seconds(60));
    RS_WARNING("inner %s", "more");
  }
  RS_INFO("outer %d", 3);
}

void log_contexts() {
  log_in_contexts(7);
  std::thread([] {
    pthread_setname_np(pthread_self(), "worker");
    log_in_contexts(8);
  }).join();
  ringside::flush(std::chrono::seconds(60));
  RS_INFO("the last one");
}

void log_spans() {
  for (unsigned i = 0; i < 3; ++i) {
    RS_NAMED_SPAN(INFO, request, "request", RS_ARG(i));
    RS_COUNTER("waiting", RS_NAMED("requests", 3 - i));
    { RS_SPAN("step", RS_NAMED("number", i * i)); }
    RS_HISTOGRAM("latency_us", RS_NAMED("us", 100.5 * i), RS_ARG(i));
    RS_SPAN_SET(request, RS_NAMED("status", i == 2 ? "failed" : "ok"));
    RS_MARK("half time", RS_ARG(i));
  }
}

volatile int g_last = 0;  // a function that stores it makes no tail call

[[gnu::noinline]] void log_stack(int number) {
  RS_STACK(WARNING, "slow", RS_ARG(number));
  g_last = number;
}

[[gnu::noinline]] void log_stack_of_another() {
  log_stack(2);
  g_last = 3;
}

void log_stacks() {
  for (int i = 0; i < 2; ++i) log_stack(i);
  log_stack_of_another();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc == 2 ? argv[1] : "";
  if (what == "kinds") {
    log_kinds();
  } else if (what == "losses") {
    log_losses();
  } else if (what == "steps") {
    log_steps();
  } else if (what == "collected") {
    log_collected();
  } else if (what == "contexts") {
    log_contexts();
  } else if (what == "spans") {
    log_spans();
  } else if (what == "stacks") {
    log_stacks();
  } else {
    std::fputs(
        "usage: golden_service kinds | losses | steps | collected | contexts | spans | stacks\n",
        stderr);
    return 2;
  }
  return 0;
}
