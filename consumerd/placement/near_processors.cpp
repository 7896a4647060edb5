#include "consumerd/placement/near_processors.hpp"

namespace ringside::consumer {
namespace {

// Of sets with allowed processors, the one whose producers have written most; empty if none has.
ProcessorSet busiest(const std::vector<ProcessorSet>& sets, const ProcessorSet& allowed,
                     const BytesByProcessor& producers) {
  ProcessorSet best;
  std::uint64_t most = 0;
  for (const ProcessorSet& set : sets) {
    if ((set & allowed).none()) continue;
    std::uint64_t bytes = 0;
    for (const auto& [processor, written] : producers) {
      if (processor < set.size() && set[processor]) bytes += written;
    }
    if (bytes <= most) continue;
    most = bytes;
    best = set;
  }
  return best & allowed;
}

}  // namespace

ProcessorSet near_processors(const ProcessorMap& map, const ProcessorSet& allowed,
                             const BytesByProcessor& producers) {
  ProcessorSet near = busiest(map.caches, allowed, producers);
  if (near.none()) near = busiest(map.nodes, allowed, producers);
  if (near.none()) return {};
  ProcessorSet taken;
  for (const auto& [processor, written] : producers) {
    if (processor < taken.size() && written != 0) taken.set(processor);
  }
  ProcessorSet taken_cores = taken;
  for (const ProcessorSet& core : map.cores) {
    if ((core & taken).any()) taken_cores |= core;
  }
  for (const ProcessorSet& left : {near & ~taken_cores, near & ~taken}) {
    if (left.any()) return left;
  }
  return near;
}

}  // namespace ringside::consumer
