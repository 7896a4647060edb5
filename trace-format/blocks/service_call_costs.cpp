#include "trace-format/blocks/service_call_costs.hpp"

#include <tuple>

namespace ringside::trace {

void ServiceCallCosts::add(const Uuid& uuid, const MeasuredCalls& calls) {
  if (uuid == Uuid()) return;
  const auto [known, is_new] = segments_.try_emplace(uuid, calls);
  if (is_new) return;
  // With the same time, no order of the blocks makes a difference.
  const auto place = [](const CallCostsBlock& block) {
    return std::tuple(block.until_tsc, block.counts.calls(), block.counts.ticks);
  };
  if (place(calls.newest) > place(known->second.newest)) known->second = calls;
}

}  // namespace ringside::trace
