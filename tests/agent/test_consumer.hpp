#pragma once
// A consumer for tests: drains rings by the protocol of shm-layout/ring_metadata.hpp and passes on
// every record.

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

#include "tests/agent/segment_reader.hpp"

namespace ringside::test {

class TestConsumer {
 public:
  using Visit = std::function<void(std::uint32_t ring, const Record&)>;

  explicit TestConsumer(SegmentReader& segment, Visit visit = {})
      : segment_(segment), visit_(std::move(visit)) {}

  // One round over all rings: drains them and answers flush requests.
  void poll();

  // Polls on its own thread until stopped; the last round follows the stop.
  void start(std::function<void()> pause = {});
  void stop();
  ~TestConsumer() { stop(); }
  TestConsumer(const TestConsumer&) = delete;
  TestConsumer& operator=(const TestConsumer&) = delete;

 private:
  SegmentReader& segment_;
  Visit visit_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace ringside::test
