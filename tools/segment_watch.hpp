#pragma once
// Services seen again and again: what happened between two looks, as rates, and what is to be
// expected. Reads segments as read_status() does.

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/segment_status.hpp"
#include "tools/service_choice.hpp"
#include "tools/statement_list.hpp"

namespace ringside::tool {

class SegmentImage;
class WatchedSegment;

struct ThreadView {
  RingStatus now;
  double records_per_s = 0;
  double bytes_per_s = 0;
  double drops_per_s = 0;
  double blocked_share = 0;            // of the time, waiting for space
  std::optional<double> overflow_s;    // until the ring is full, if it goes on like this
  std::uint64_t high_water_bytes = 0;  // found by the consumer, or by a look
  double burst_bytes_per_s = 0;        // the most between two looks
  std::uint64_t recommended_ring_bytes = 0;
};

struct StatementView {
  ListedStatement statement;
  bool enabled = false;
  double records_per_s = 0;
  double bytes_per_s = 0;
  double share = 0;        // of the service's bytes
  std::uint64_t lost = 0;  // records, since the service began
};

struct ServiceView {
  SegmentStatus now;
  double records_per_s = 0;
  double bytes_per_s = 0;
  double drops_per_s = 0;
  std::uint64_t fullest_permille = 0;
  std::uint64_t high_water_permille = 0;
  std::optional<double> overflow_s;   // of the ring that is full first
  std::uint64_t unwritten_bytes = 0;  // recorded, and not in a file yet
  std::uint64_t recommended_ring_bytes = 0;
  bool drops_grow = false;                // since the look before
  std::vector<ThreadView> threads;        // active ones, and ended ones with something left
  std::vector<StatementView> statements;  // most bytes first; all that are registered
  std::deque<double> bytes_history;       // a rate for each look, the latest last
  std::deque<double> drops_history;
  std::string trouble;  // what could not be read
};

class SegmentWatch {
 public:
  explicit SegmentWatch(ServiceChoice choice);
  ~SegmentWatch();
  SegmentWatch(const SegmentWatch&) = delete;
  SegmentWatch& operator=(const SegmentWatch&) = delete;

  // A new look. It takes some milliseconds: what statements cost is seen by how rings grow. False
  // with `*why` if the directory cannot be read; segments that cannot are told in troubles().
  bool look(std::string* why);

  const std::vector<ServiceView>& services() const { return services_; }  // by name and pid
  const std::vector<std::string>& troubles() const { return troubles_; }

 private:
  ServiceChoice choice_;
  std::map<std::string, std::unique_ptr<WatchedSegment>> watched_;  // by path
  std::vector<ServiceView> services_;
  std::vector<std::string> troubles_;
};

// A size that takes twice what was seen at most, and the fastest burst while consumerd waits 10 ms
// for a processor: a power of two from 64 KiB to 1 GiB. 0 if nothing was seen.
std::uint64_t recommended_ring_bytes(std::uint64_t high_water_bytes, double burst_bytes_per_s);

}  // namespace ringside::tool
