#include "tools/live/salvaged_totals.hpp"

#include <utility>

#include "shm-layout/loss_cause.hpp"

namespace ringside::tool {

trace::LossesBlock salvaged_losses(const ControlWords& control, std::uint64_t since_tsc,
                                   std::uint64_t until_tsc) {
  trace::LossesBlock losses;
  losses.since_tsc = since_tsc;
  losses.until_tsc = until_tsc;
  for (const auto& [cause, count] :
       {std::pair{shm::LossCause::kNoRing, control.lost_no_ring},
        std::pair{shm::LossCause::kNoSharedMemory, control.lost_no_memory},
        std::pair{shm::LossCause::kDictionaryFull, control.lost_dictionary_full}}) {
    if (count != 0) losses.without_stream.push_back({0, cause, 0, count});
  }
  return losses;
}

trace::CallCostsBlock salvaged_call_costs(const SegmentImage& image, std::uint32_t rings,
                                          std::uint64_t until_tsc) {
  trace::CallCostsBlock costs;
  costs.until_tsc = until_tsc;
  costs.one_in = image.header().cost_sampling;
  for (const SegmentImage::RingCallCosts& ring : image.call_costs(rings)) {
    costs.counts.add(ring.all);
  }
  return costs;
}

}  // namespace ringside::tool
