#include "consumerd/drain/encoder_threads.hpp"

#include <csignal>
#include <cstring>
#include <pthread.h>
#include <sched.h>

namespace ringside::consumer {

void EncoderThreads::start(std::uint32_t threads) {
  // Signals of the operator end naps of the poll loop. SIGBUS and the like concern the thread that
  // causes them (discover/truncation_guard.hpp).
  sigset_t blocked;
  sigset_t before;
  sigfillset(&blocked);
  for (const int fault : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) {
    sigdelset(&blocked, fault);
  }
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  for (std::uint32_t thread = 1; thread < threads; ++thread) {
    threads_.emplace_back([this, thread] { serve(thread); });
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

EncoderThreads::~EncoderThreads() {
  stops_ = true;
  round_.fetch_add(1, std::memory_order_release);  // pairs with the acquire in serve()
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void EncoderThreads::run(std::uint32_t used, const Work& work) {
  if (used > 1) {
    work_ = &work;
    used_ = used;
    working_.store(count() - 1, std::memory_order_relaxed);
    // Pairs with the acquire in serve(): a thread sees the work, and everything before this call.
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  work(0);
  if (used <= 1) return;
  // Pairs with the release in serve(): this thread sees what the others did.
  for (std::uint32_t left = working_.load(std::memory_order_acquire); left != 0;
       left = working_.load(std::memory_order_acquire)) {
    working_.wait(left, std::memory_order_relaxed);
  }
}

void EncoderThreads::serve(std::uint32_t thread) {
  cpu_set_t all;
  std::memset(&all, 0xFF, sizeof all);
  sched_setaffinity(0, sizeof all, &all);
  // All threads take part in every round, so that none can miss one.
  for (std::uint32_t round = 0;; ++round) {
    round_.wait(round, std::memory_order_acquire);
    if (stops_) return;
    if (thread < used_) (*work_)(thread);
    // Pairs with the acquire in run().
    if (working_.fetch_sub(1, std::memory_order_release) == 1) working_.notify_one();
  }
}

}  // namespace ringside::consumer
