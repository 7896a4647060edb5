#pragma once
// Observes services repeatedly: changes between two samples, as rates, and forecasts. Reads
// segments in the same way as read_status().

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/live/segment_status.hpp"
#include "tools/live/service_choice.hpp"
#include "tools/live/statement_list.hpp"

namespace ringside::tool {

class SegmentImage;
class WatchedSegment;

struct ThreadView {
  RingStatus now;
  double records_per_s = 0;
  double bytes_per_s = 0;
  double drops_per_s = 0;
  double blocked_share = 0;            // part of the time spent waiting for space
  std::optional<double> overflow_s;    // until the ring is full, at the present rate
  std::uint64_t high_water_bytes = 0;  // found by the consumer, or in a sample
  double burst_bytes_per_s = 0;        // the highest rate between two samples
  std::uint64_t recommended_ring_bytes = 0;
};

struct StatementView {
  ListedStatement statement;
  bool enabled = false;
  bool counting = false;
  double records_per_s = 0;
  double bytes_per_s = 0;
  double share = 0;        // of the service's bytes
  std::uint64_t lost = 0;  // records, since the service began
  // Executions that were not recorded, since the service began.
  std::uint64_t counted = 0;
  std::uint64_t suppressed = 0;
};

struct ServiceView {
  SegmentStatus now;
  double records_per_s = 0;
  double bytes_per_s = 0;
  double drops_per_s = 0;
  std::uint64_t fullest_permille = 0;
  std::uint64_t high_water_permille = 0;
  std::optional<double> overflow_s;   // for the ring that is full first
  std::uint64_t unwritten_bytes = 0;  // recorded, and not in a file yet
  std::uint64_t recommended_ring_bytes = 0;
  bool drops_grow = false;                // since the previous sample
  bool has_executions = false;            // any statement counts, has counted or has suppressed
  std::vector<ThreadView> threads;        // active ones, and ended ones with records left
  std::vector<StatementView> statements;  // most bytes first; all registered statements
  std::deque<double> bytes_history;       // one rate per sample, the latest last
  std::deque<double> drops_history;
  std::string trouble;  // what could not be read
};

class SegmentWatch {
 public:
  explicit SegmentWatch(ServiceChoice choice);
  ~SegmentWatch();
  SegmentWatch(const SegmentWatch&) = delete;
  SegmentWatch& operator=(const SegmentWatch&) = delete;

  // Takes a sample. It takes some milliseconds, because the cost of statements is measured by the
  // growth of rings. False with `*why` if the directory cannot be read; segments that cannot be
  // read are listed in troubles().
  bool look(std::string* why);

  const std::vector<ServiceView>& services() const { return services_; }  // by name and pid
  const std::vector<std::string>& troubles() const { return troubles_; }

 private:
  ServiceChoice choice_;
  std::map<std::string, std::unique_ptr<WatchedSegment>> watched_;  // by path
  std::vector<ServiceView> services_;
  std::vector<std::string> troubles_;
};

// A size with room for twice the highest fill, and for the fastest burst while consumerd waits 10
// ms for a processor: a power of two from 64 KiB to 1 GiB. 0 without data.
std::uint64_t recommended_ring_bytes(std::uint64_t high_water_bytes, double burst_bytes_per_s);

}  // namespace ringside::tool
