// A service whose threads run and wait on request, line by line on standard input:
//
//     naps N   the thread "napper" waits N times for a millisecond, and records each
//     brief N  a new thread, "brief", records N times and ends
//     spin N   the thread "napper" runs for N milliseconds
//
// It answers each line with "done".

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <semaphore.h>
#include <thread>

#include <ringside/event.hpp>
#include <ringside/ringside.hpp>

namespace {

struct Request {
  sem_t begin{};
  sem_t end{};
  char kind = 0;
  int number = 0;
};

void nap_on_request(Request* request) {
  pthread_setname_np(pthread_self(), "napper");
  RS_EVENT(INFO, "napper.ready");
  sem_post(&request->end);
  for (;;) {
    while (sem_wait(&request->begin) != 0) {
    }
    if (request->kind == 0) return;
    const auto begin = std::chrono::steady_clock::now();
    if (request->kind == 's') {
      while (std::chrono::steady_clock::now() - begin <
             std::chrono::milliseconds(request->number)) {
        RS_EVENT(INFO, "spun");
      }
    }
    for (int i = 0; request->kind == 'n' && i < request->number; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      RS_EVENT(INFO, "nap.over", RS_ARG(i));
    }
    sem_post(&request->end);
  }
}

void be_brief(int number) {
  pthread_setname_np(pthread_self(), "brief");
  for (int i = 0; i < number; ++i) RS_EVENT(INFO, "brief.record", RS_ARG(i));
}

}  // namespace

int main() {
  Request request;
  sem_init(&request.begin, 0, 0);
  sem_init(&request.end, 0, 0);
  std::thread napper(nap_on_request, &request);
  sem_wait(&request.end);
  std::puts("ready");
  std::fflush(stdout);
  char line[64];
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    const char* const space = std::strchr(line, ' ');
    request.number = space == nullptr ? 0 : std::atoi(space);
    if (line[0] == 'b') {
      std::thread(be_brief, request.number).join();
    } else {
      request.kind = line[0];
      sem_post(&request.begin);
      sem_wait(&request.end);
    }
    std::puts("done");
    std::fflush(stdout);
  }
  request.kind = 0;
  sem_post(&request.begin);
  napper.join();
  return 0;
}
