// A service with many nested spans: span_load THREADS SPANS. Each thread makes SPANS spans, of four
// statements: a request has steps, a step may have reads and stacks.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include <ringside/log.hpp>
#include <ringside/span.hpp>
#include <ringside/stack.hpp>

namespace {

std::uint64_t spin(std::uint64_t turns) {
  std::uint64_t sum = turns;
  for (std::uint64_t i = 0; i < turns; ++i) sum = sum * 6364136223846793005U + i;
  return sum;
}

void read_part(std::uint64_t number) {
  RS_SPAN("read_part", RS_ARG(number));
  static std::atomic<std::uint64_t> result;  // so that the work is not left out
  result.store(spin(number % 50), std::memory_order_relaxed);
}

void step(std::uint64_t number) {
  RS_SPAN("step", RS_ARG(number));
  read_part(number);
  if (number % 4 == 0) read_part(number + 1);
  if (number % 64 == 0) RS_INFO("step %lu is a long one", number);
  if (number % 4096 == 0) RS_STACK(INFO, "slow_step", RS_ARG(number));
}

void request(std::uint64_t number) {
  RS_SPAN("request", RS_ARG(number));
  RS_COUNTER("queue", RS_NAMED("waiting", number % 17));
  for (std::uint64_t i = 0; i < 4; ++i) step(number * 4 + i);
}

void serve(std::uint64_t spans) {
  RS_SPAN("serve", RS_ARG(spans));
  // A request has 10 spans: its own, four steps, and five reads.
  for (std::uint64_t i = 0; i < spans / 10; ++i) request(i);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::vector<std::thread> threads;
  const std::uint64_t spans = std::strtoull(argv[2], nullptr, 10);
  for (std::uint64_t i = std::strtoull(argv[1], nullptr, 10); i != 0; --i)
    threads.emplace_back(serve, spans);
  for (std::thread& each : threads) each.join();
  return 0;
}
