#include "tools/crash/recorded_modules.hpp"

#include <algorithm>
#include <utility>

#include "tools/crash/crash_record.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kMostModulesOfProcess = 10'000;

}  // namespace

void add_module(std::vector<MappedCode>& modules, MappedCode&& module) {
  // An equal one before the last would be hidden by that one: a later module replaces earlier ones.
  const auto last =
      std::find_if(modules.rbegin(), modules.rend(), [&module](const MappedCode& each) {
        return each == module || (each.begin < module.end && module.begin < each.end);
      });
  if (last != modules.rend() && *last == module) return;
  if (modules.size() < kMostModulesOfProcess) modules.push_back(std::move(module));
}

bool read_modules(std::span<const std::string> paths, RecordedModules* modules,
                  trace::ReadError* error) {
  trace::ReadOptions reading;
  reading.losses = false;
  reading.site = [](const trace::Site& site, const trace::SegmentInfo&) {
    return is_library_event(site, kModuleEvent);
  };
  auto set = trace::TraceSet::open(paths, reading, error);
  if (!set) return false;
  trace::Event event;
  while (set->next(event)) {
    if (event.segment == nullptr || event.record.site == nullptr) continue;
    add_module((*modules)[event.segment->uuid], read_module(event.record));
  }
  return true;
}

}  // namespace ringside::tool
