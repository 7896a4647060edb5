// Records stacks: of two functions in turn, on two threads, in a handler that interrupts a log
// call, and of a statement that is switched off. Prints how often the last one walked the stack.
//
// usage: stacked_service COUNT

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <ringside/ringside.hpp>
#include <ringside/stack.hpp>

namespace {

int g_evaluated = 0;
volatile int g_last = 0;  // a function that stores it makes no tail call

int count_evaluation() {
  return ++g_evaluated;
}

[[gnu::noinline]] void report_slow(int number) {
  RS_STACK(WARNING, "slow", RS_ARG(number));
}

[[gnu::noinline]] void match_order(int number) {
  report_slow(number);
  g_last = 1;
}

[[gnu::noinline]] void settle_order(int number) {
  report_slow(number);
  g_last = 2;
}

void work(int count) {
  for (int i = 0; i < count; ++i) {
    if (i % 2 == 0) {
      match_order(i);
    } else {
      settle_order(i);
    }
  }
}

void on_signal(int) {
  RS_STACK(ERROR, "in a handler");
}

// The handler runs between the reservation of a record and its publication.
[[gnu::noinline]] void log_interrupted() {
  std::uint64_t tsc = 0;
  rs_reserve(RS_SWITCH_ON, 8, &tsc);
  std::raise(SIGUSR1);
  g_last = 3;
}

}  // namespace

int main(int, char** argv) {
  const int count = std::atoi(argv[1]);
  std::signal(SIGUSR1, on_signal);
  RS_STACK(TRACE, "switched off", RS_NAMED("n", count_evaluation()));
  ringside::set_level(ringside::Level::info);
  RS_STACK(DEBUG, "switched off too", RS_NAMED("n", count_evaluation()));
  work(count);
  std::thread(work, count).join();
  std::printf("evaluated=%d\n", g_evaluated);
  std::fflush(stdout);
  log_interrupted();
}
