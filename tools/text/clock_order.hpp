#pragma once
// The order of records of several hosts, as far as their clocks tell it.

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <unordered_map>

#include "trace-format/blocks/host_clocks.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::tool {

// Not thread-safe. Of events that have a clock error (trace::Event::clock_error_ns).
class ClockOrder {
 public:
  // In the order of time. `hosts`: those of the event's reader. Returns whether the event may
  // belong before one that was added before: one of another host, nearer to it than the clocks of
  // both can be wrong.
  bool add(const trace::Event& event, const trace::HostClocks& hosts);

  // For people, after the last event: how well the clocks agree. Empty if all events were of one
  // host.
  std::string notice() const;

 private:
  struct Host {
    std::string name;
    std::uint64_t last_ns = 0;        // time of its last event
    std::uint64_t last_error_ns = 0;  // of that
    std::uint64_t worst_error_ns = 0;
  };
  using Hosts = std::list<Host>;

  Hosts::iterator host_of(const trace::Event& event, const trace::HostClocks& hosts);
  bool may_precede(const trace::Event& event) const;

  Hosts hosts_;  // the one with the last event first
  std::map<std::string, Hosts::iterator> by_name_;
  std::unordered_map<const trace::SegmentInfo*, Hosts::iterator> of_segment_;
  const trace::SegmentInfo* last_segment_ = nullptr;  // that of hosts_.front()
  std::uint64_t worst_error_ns_ = 0;                  // of all events
};

}  // namespace ringside::tool
