// What was collected over time, as JSON.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "shm-layout/level.hpp"
#include "tools/query/collected_report.hpp"
#include "tools/text/policy_name.hpp"
#include "trace-format/lines/wall_clock_text.hpp"

namespace ringside::tool {
namespace {

using nlohmann::ordered_json;
using trace::CollectedSegment;
using trace::CollectedSpan;

std::string rfc3339(std::uint64_t unix_ns) {
  trace::TextSink sink;
  trace::WallClockText(true, 'T').append(sink, unix_ns);
  std::string text(sink.text());
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "Z";
}

// Only the number of a statement that the dictionary lacks.
ordered_json statement_json(const CollectedSegment& segment, std::uint32_t id) {
  ordered_json object{{"site", id}};
  const trace::Site* const site = segment.sites->find(id);
  if (site == nullptr) return object;
  object["level"] = shm::level_name(site->level);
  object["file"] = site->file;
  object["line"] = site->line;
  object["text"] = site->format.empty() ? site->name : site->format;
  return object;
}

ordered_json changes_json(const CollectedSpan& span) {
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < span.state.changes.size(); ++i) {
    const trace::CollectionChange& change = span.state.changes[i];
    ordered_json one{{"cause", cause_token(change.cause)},
                     {"time", rfc3339(span.changes_ns[i])},
                     {"unix_ns", span.changes_ns[i]}};
    if (!change.command.empty()) one["command"] = change.command;
    if (!change.user.empty()) one["user"] = change.user;
    if (change.has_ids) {
      one["uid"] = change.uid;
      one["pid"] = change.pid;
    }
    list.push_back(std::move(one));
  }
  return list;
}

ordered_json statements_json(const CollectedSegment& segment, const CollectedSpan& span) {
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < span.state.statements.size(); ++i) {
    const trace::CollectedStatement& statement = span.state.statements[i];
    ordered_json one = statement_json(segment, statement.site_id);
    one["state"] = state_token(statement.state);
    if (span.statement_deadlines_ns[i] != 0) {
      one["until_unix_ns"] = span.statement_deadlines_ns[i];
      one["state_after"] = state_token(statement.state_after);
    }
    list.push_back(std::move(one));
  }
  return list;
}

ordered_json rules_json(const CollectedSegment& segment, const CollectedSpan& span) {
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < span.state.rules.size(); ++i) {
    const trace::CollectionRule& rule = span.state.rules[i];
    ordered_json one{{"kind", rule_token(rule.kind)}, {"settings", ordered_json::array()}};
    for (const auto& [name, value] : rule.settings) {
      one["settings"].push_back({{"name", name}, {"value", value}});
    }
    if (rule.kind == trace::RuleKind::kSample) {
      one["statements"] = ordered_json::array();
      for (const auto& [id, effect] : span.effects) {
        if (effect.sample_rule == i + 1) one["statements"].push_back(statement_json(segment, id));
      }
    }
    list.push_back(std::move(one));
  }
  return list;
}

ordered_json hidden_json(const CollectedSegment& segment, const CollectedSpan& span) {
  ordered_json list = ordered_json::array();
  for (const auto& [id, effect] : span.effects) {
    if (effect.hidden_fields.empty()) continue;
    ordered_json one = statement_json(segment, id);
    one["fields"] = ordered_json::array();
    const trace::Site* const site = segment.sites->find(id);
    for (const std::uint16_t field : effect.hidden_fields) {
      const bool is_known = site != nullptr && field < site->fields.size();
      one["fields"].push_back(is_known ? site->fields[field].name : fmt::format("#{}", field + 1));
    }
    list.push_back(std::move(one));
  }
  return list;
}

ordered_json span_json(const CollectedSegment& segment, const CollectedSpan& span) {
  const trace::CollectionState& state = span.state;
  ordered_json object{{"service", segment.segment->service},
                      {"pid", segment.segment->pid},
                      {"time", rfc3339(span.until_ns)},
                      {"unix_ns", span.until_ns},
                      {"since_unix_ns", span.since_ns}};
  object["level"] = shm::level_name(static_cast<shm::Level>(state.level));
  if (span.level_deadline_ns != 0) {
    object["level_until_unix_ns"] = span.level_deadline_ns;
    object["level_after"] = shm::level_name(static_cast<shm::Level>(state.level_after));
  }
  if (state.overflow_policy != trace::CollectionState::kUnknownPolicy) {
    object["overflow"] = policy_name(static_cast<shm::OverflowPolicy>(state.overflow_policy));
    object["block_timeout_ms"] = state.block_timeout_ms;
  }
  object["statements"] = statements_json(segment, span);
  object["rules"] = rules_json(segment, span);
  object["hidden"] = hidden_json(segment, span);
  object["changes"] = changes_json(span);
  return object;
}

}  // namespace

std::string collected_as_json(const trace::CollectionHistory& history,
                              const CollectedReportOptions& options) {
  std::string lines;
  for (const CollectedSegment& segment : history.segments()) {
    if (!is_chosen(segment, options)) continue;
    for (const CollectedSpan& span : segment.spans) {
      // Names come from services and need not be UTF-8.
      lines +=
          span_json(segment, span).dump(-1, ' ', true, ordered_json::error_handler_t::replace) +
          "\n";
    }
  }
  return lines;
}

}  // namespace ringside::tool
