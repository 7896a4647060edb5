// Threads: each has its own ring, so log calls of different threads share nothing. The trace keeps
// the order of each thread, and merges the threads by time.
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

#include <ringside/ringside.hpp>

namespace {

void work(int number) {
  // The name of a thread when it takes its ring is its name in the trace.
  pthread_setname_np(pthread_self(), ("worker-" + std::to_string(number)).c_str());
  // The first log call of a thread takes a ring and maps its memory. Do that now instead.
  ringside::preallocate();
  RS_INFO("worker %d starts", number);
  int sum = 0;
  for (int i = 1; i <= 3; ++i) {
    sum += i * number;
    RS_DEBUG("worker %d: step %d, sum %d", number, i, sum);
  }
  RS_INFO("worker %d ends with %d", number, sum);
}

}  // namespace

int main() {
  std::vector<std::thread> workers;
  for (int number = 1; number <= 3; ++number) {
    workers.emplace_back(work, number);
  }
  for (std::thread& worker : workers) {
    worker.join();
  }
  return 0;
}
