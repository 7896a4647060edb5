#include "tools/interop/tptp/tptp_trace_settings.hpp"

#include <string>
#include <utility>

#include "tools/interop/tptp/tptp_message_table.hpp"

namespace ringside::tool::tptp {
namespace {

constexpr std::string_view kTooMany =
    "a filter or option remains a record only: at most 1000 of a process are settings";
constexpr std::string_view kPrefix = "tptp.";  // of names

}  // namespace

void TraceSettings::add(const Message& message, std::uint32_t process) {
  Process& settings = processes_[process];
  was_setting_ = true;
  if (settings.state.rules.size() == kMostSettings) return report_.lost(kTooMany);
  trace::CollectionRule rule;
  const bool is_filter = message.type->id == kFilterId;
  rule.kind = is_filter ? trace::RuleKind::kFilter : trace::RuleKind::kOption;
  for (std::size_t i = 0; i < message.type->attributes.size(); ++i) {
    if (i == message.type->trace) continue;
    rule.settings.emplace_back(std::string(kPrefix) + std::string(message.type->attributes[i].xml),
                               std::string(message.texts[i]));
  }
  settings.state.rules.push_back(std::move(rule));
  settings.is_new = is_pending_ = true;
}

void TraceSettings::settle(std::uint64_t unix_ns) {
  unix_ns_ = unix_ns;
  if (is_pending_ && !was_setting_) write();
  was_setting_ = false;
}

void TraceSettings::end() {
  if (is_pending_) write();
}

void TraceSettings::write() {
  is_pending_ = false;
  for (auto& [process, settings] : processes_) {
    if (!std::exchange(settings.is_new, false)) continue;
    settings.state.since_tsc = settings.state.until_tsc = unix_ns_;
    if (!builder_.collected(process, settings.state, {})) report_.lost(kTooMany);
  }
}

}  // namespace ringside::tool::tptp
