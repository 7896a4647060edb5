#pragma once
// Which processors are near each other, as Linux describes them in /sys/devices/system.

#include <bitset>
#include <cstddef>
#include <optional>
#include <sched.h>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::consumer {

using ProcessorSet = std::bitset<CPU_SETSIZE>;

// "0-3,8" (cpuset(7), "List format"). Empty if it is damaged or names a processor that cannot be.
std::optional<ProcessorSet> parse_processor_list(std::string_view list);
std::string processor_list(const ProcessorSet& processors);

// What processors share, one set for each instance; sets of one kind do not overlap.
struct ProcessorMap {
  std::vector<ProcessorSet> cores;   // the threads of one core
  std::vector<ProcessorSet> caches;  // the last-level cache
  std::vector<ProcessorSet> nodes;   // the memory of a NUMA node

  // `system_dir`: /sys/devices/system. What cannot be read there is left out, as in a container
  // without it.
  static ProcessorMap read(const std::string& system_dir);
};

}  // namespace ringside::consumer
