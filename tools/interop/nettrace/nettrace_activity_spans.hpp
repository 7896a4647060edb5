#pragma once
// Pairs the Start and Stop events of activities: the Start becomes a span that lasts to the Stop.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::nettrace {

// "Request" for "RequestStart", "RequestBegin", "RequestStop" and "RequestEnd"; "" for other names.
std::string_view task_of(std::string_view event_name);

// What a Start and its Stop have in common. Different tasks of one activity are different spans; a
// task without a name matches any.
struct ActivityTask {
  std::array<std::uint8_t, 16> activity{};
  std::string_view provider;
  std::string_view task;
};

// A record without its duration.
struct HeldStart {
  std::uint32_t stream = 0;
  std::uint32_t site = 0;
  std::uint64_t unix_ns = 0;
  trace::RecordExtension extension;
  std::string values;  // as TraceBuilder::withdraw() returns them
};

// A file has the events of a thread in order, but those of different threads in any order: a Stop
// can come before its Start. Memory: 64 MiB of Starts and Stops without the other. Not thread-safe.
class ActivitySpans {
 public:
  ActivitySpans(TraceBuilder& builder, ConversionReport& report)
      : builder_(builder), report_(report) {}

  // Adds the record to the trace, at once or when its Stop comes.
  void start(const ActivityTask& what, HeldStart&& start);
  void stop(const ActivityTask& what, std::uint64_t unix_ns);
  // Adds the Starts without a Stop, in the order in which they came, as records without a duration.
  void end();

  // The time of the earliest record that has not been added; UINT64_MAX if there is none.
  std::uint64_t earliest() const { return times_.empty() ? UINT64_MAX : *times_.begin(); }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  static constexpr std::size_t kPlaceBytes = 192;      // in the maps
  static constexpr std::size_t kMostOfActivity = 256;  // the search takes time for each

  struct Start {
    HeldStart record;
    std::string task;
    std::uint64_t number = 0;  // in the order in which they came
  };
  struct Stop {
    std::uint64_t unix_ns = 0;
    std::string task;
  };
  struct Open {
    std::vector<Start> starts;
    std::vector<Stop> stops;
  };
  using Key = std::pair<std::array<std::uint8_t, 16>, std::size_t>;  // activity, hash of provider

  static Key key_of(const ActivityTask& what) {
    return {what.activity, std::hash<std::string_view>()(what.provider)};
  }
  static std::size_t bytes_of(const Start& start) {
    return sizeof start + start.record.values.size() + start.task.size() + kPlaceBytes;
  }
  static std::size_t bytes_of(const Stop& stop) {
    return sizeof stop + stop.task.size() + kPlaceBytes;
  }
  void add_span(HeldStart& start, std::uint64_t end);
  void add(const HeldStart& start);
  void forget(const Start& start);  // which is no longer in open_
  // Forgets everything if more than kMostBytes are held.
  void check_bytes();

  TraceBuilder& builder_;
  ConversionReport& report_;
  std::map<Key, Open> open_;
  std::multiset<std::uint64_t> times_;  // of all starts in open_
  std::uint64_t count_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace ringside::tool::nettrace
