#include "tools/interop/clock_facts.hpp"

#include <string_view>

#include <fmt/format.h>

namespace ringside::tool {
namespace {

std::string_view name_of(trace::SyncState state) {
  switch (state) {
    case trace::SyncState::kSynchronised:
      return "synchronised";
    case trace::SyncState::kUnsynchronised:
      return "unsynchronised";
    case trace::SyncState::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace

std::string clock_facts(const trace::ClockPoint& point, InspectStyle style) {
  const trace::ClockSync& sync = point.sync;
  const bool is_stated = sync.state != trace::SyncState::kUnknown;
  const std::uint64_t error_ns = point.error_ns();
  const bool is_known = error_ns != trace::kUnknownClockError;
  if (style == InspectStyle::kText) {
    std::string text = fmt::format("  {}", name_of(sync.state));
    if (is_stated)
      text += fmt::format(", offset {} ns, maximum error {} ns", sync.offset_ns, sync.max_error_ns);
    if (is_known) text += fmt::format(", clock error {} ns", error_ns);
    return text;
  }
  if (style != InspectStyle::kJson) return {};
  std::string members = fmt::format(", \"state\": \"{}\"", name_of(sync.state));
  if (is_stated) {
    members += fmt::format(", \"offset_ns\": {}, \"max_error_ns\": {}, \"estimated_error_ns\": {}",
                           sync.offset_ns, sync.max_error_ns, sync.estimated_error_ns);
  }
  if (is_known) members += fmt::format(", \"clock_error_ns\": {}", error_ns);
  return members;
}

}  // namespace ringside::tool
