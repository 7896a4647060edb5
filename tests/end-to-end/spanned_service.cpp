// Nested spans on several threads, and the service's own account of them on standard output:
//
//   SPAN THREAD NAME N PARENT_N DEPTH BEGIN_NS END_NS
//
// N numbers the spans of a thread in the order of their beginning, from 1; PARENT_N is 0 for an
// outermost one. Times are those of CLOCK_REALTIME, taken outside of the span.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include <ringside/ringside.hpp>
#include <ringside/span.hpp>

namespace {

std::uint64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::mutex output;

class Worker {
 public:
  Worker(unsigned number, unsigned spans) : number_(number), left_(spans), random_(number) {}

  void run() {
    while (left_ != 0) nest(0, 0);
  }

 private:
  void nest(unsigned parent, unsigned depth) {
    --left_;
    const unsigned n = ++last_;
    const std::uint64_t begin = now_ns();
    {
      RS_SPAN("work", RS_NAMED("thread", number_), RS_ARG(n), RS_ARG(parent), RS_ARG(depth));
      while (left_ != 0 && depth < 6 && random_() % 3 != 0) nest(n, depth + 1);
    }
    const std::uint64_t end = now_ns();
    const std::lock_guard lock(output);
    std::printf("SPAN %u work %u %u %u %" PRIu64 " %" PRIu64 "\n", number_, n, parent, depth, begin,
                end);
  }

  unsigned number_;
  unsigned left_;
  unsigned last_ = 0;
  std::minstd_rand random_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto threads = static_cast<unsigned>(argc > 1 ? std::atoi(argv[1]) : 3);
  const auto spans = static_cast<unsigned>(argc > 2 ? std::atoi(argv[2]) : 1000);
  std::vector<std::thread> running;
  for (unsigned i = 1; i <= threads; ++i) running.emplace_back([=] { Worker(i, spans).run(); });
  for (std::thread& thread : running) thread.join();
  return ringside::flush(std::chrono::seconds(60)) ? 0 : 1;
}
