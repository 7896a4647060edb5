// The service whose traces are the golden files: a few records of every kind that the front end
// creates. README.md describes how it was run.
//
// usage: golden_service kinds | losses | steps | collected
//   kinds      all conversions and levels, long and cut texts, two threads
//   losses     more than a ring of 64 KiB holds
//   steps      ten records for each line of standard input, flushed; kills itself at its end
//   collected  four executions of three statements for each line of standard input, flushed;
//              sets its own level at the end

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

#include <ringside/ringside.hpp>

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
  } else {
    std::fputs("usage: golden_service kinds | losses | steps | collected\n", stderr);
    return 2;
  }
  return 0;
}
