#include "trace-format/blocks/host_clocks.hpp"

#include <algorithm>

namespace ringside::trace {

void HostClocks::add(const BootId& boot_id, const std::string& host, const ClockPoint& point) {
  if (host.empty()) return;
  const std::string& name =
      boot_id == BootId() ? host : boots_.try_emplace(boot_id, host).first->second;
  HostClock& clock = hosts_[name];
  clock.worst_error_ns = std::max(clock.worst_error_ns, point.error_ns());
  clock.is_synchronised = clock.is_synchronised && point.sync.state != SyncState::kUnsynchronised;
  clock.is_stated = clock.is_stated && point.sync.state != SyncState::kUnknown;
  if (point.realtime_ns >= clock.newest.realtime_ns) clock.newest = point;
}

const std::string& HostClocks::name_of(const BootId& boot_id, const std::string& host) const {
  static const std::string none;
  const auto boot = boots_.find(boot_id);
  const auto found = hosts_.find(boot == boots_.end() ? host : boot->second);
  return found == hosts_.end() ? none : found->first;
}

}  // namespace ringside::trace
