#include "tools/crash/recorded_modules.hpp"

#include "tools/crash/crash_record.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kMostModulesOfProcess = 10'000;

}  // namespace

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
    std::vector<MappedCode>& of_process = (*modules)[event.segment->uuid];
    if (of_process.size() < kMostModulesOfProcess) of_process.push_back(read_module(event.record));
  }
  return true;
}

}  // namespace ringside::tool
