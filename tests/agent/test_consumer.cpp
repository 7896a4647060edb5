#include "tests/agent/test_consumer.hpp"

#include <signal.h>

namespace ringside::test {

void TestConsumer::poll() {
  shm::ControlPage& control = segment_.control();
  const std::uint64_t request = control.service.flush_request.load(std::memory_order_acquire);
  control.consumer.state.store(static_cast<std::uint32_t>(shm::ConsumerState::kPolling));
  control.consumer.heartbeat.fetch_add(1);
  for (std::uint32_t i = 0; i < segment_.rings_used(); ++i) {
    shm::RingMetadata& ring = segment_.ring(i);
    const std::uint32_t generation = ring.identity.generation.load(std::memory_order_acquire);
    if (ring.consumer.generation.load() != generation) {
      ring.consumer.booked_drops.store(0);
      ring.consumer.generation.store(generation);
    }
    const std::uint64_t to = ring.producer.producer_pos.load(std::memory_order_acquire);
    const std::uint64_t from = ring.consumer.consumer_pos.load();
    if (from != to) {
      if (visit_) {
        for (const Record& record : segment_.records(i, from, to)) visit_(i, record);
      }
      ring.consumer.consumer_pos.store(to, std::memory_order_release);
    }
    ring.consumer.booked_drops.store(ring.counters.dropped_total.load(std::memory_order_acquire));
  }
  control.consumer.flush_done.store(request, std::memory_order_release);
}

void TestConsumer::start(std::function<void()> pause) {
  // The thread must not run signal handlers that a test intends for another thread.
  sigset_t all;
  sigset_t saved;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &saved);
  thread_ = std::thread([this, pause = std::move(pause)] {
    while (!stopping_.load()) {
      poll();
      if (pause) pause();
    }
    poll();
  });
  pthread_sigmask(SIG_SETMASK, &saved, nullptr);
}

void TestConsumer::stop() {
  stopping_.store(true);
  if (thread_.joinable()) thread_.join();
}

}  // namespace ringside::test
