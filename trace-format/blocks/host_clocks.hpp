#pragma once
// How far the clocks of the hosts of a trace can be from the true time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "trace-format/blocks/clock_map.hpp"

namespace ringside::trace {

struct HostClock {
  ClockPoint newest;  // of those added
  // Of all points that were added; kUnknownClockError if one of them does not state it.
  std::uint64_t worst_error_ns = 0;
  bool is_synchronised = true;  // no point states the opposite
  bool is_stated = true;        // each point states whether it is synchronised
};

// Containers on one machine have the same clock, whatever they call their host, and so has a host
// after it has started again. A host without a name is not counted.
class HostClocks {
 public:
  using BootId = std::array<std::uint8_t, 16>;

  void add(const BootId& boot_id, const std::string& host, const ClockPoint& point);

  // The name under which the host is in hosts(). Empty if it is not.
  const std::string& name_of(const BootId& boot_id, const std::string& host) const;
  bool has_several() const { return hosts_.size() > 1; }
  const std::map<std::string, HostClock>& hosts() const { return hosts_; }

 private:
  std::map<BootId, std::string> boots_;  // the host that each was found with first
  std::map<std::string, HostClock> hosts_;
};

}  // namespace ringside::trace
