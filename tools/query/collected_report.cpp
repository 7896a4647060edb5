#include "tools/query/collected_report.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "shm-layout/level.hpp"
#include "tools/text/policy_name.hpp"
#include "trace-format/condition/glob.hpp"
#include "trace-format/condition/statement_pattern.hpp"
#include "trace-format/lines/visible_text.hpp"
#include "trace-format/lines/wall_clock_text.hpp"

namespace ringside::tool {
namespace {

using trace::CollectedSegment;
using trace::CollectedSpan;
using trace::CollectionRule;
using trace::CollectionState;
using trace::RuleKind;
using trace::StatementState;

std::string change_time_text(std::uint64_t unix_ns, bool utc) {
  trace::TextSink sink;
  trace::WallClockText(utc).append(sink, unix_ns);
  std::string text(sink.text());
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string collected_level_text(std::uint8_t level) {
  return std::string(shm::level_name(static_cast<shm::Level>(level)));
}

// A statement that the dictionary lacks, for example in a part of a trace, has only its number.
std::string statement_text(const CollectedSegment& segment, std::uint32_t id) {
  const trace::Site* const site = segment.sites->find(id);
  if (site == nullptr) return fmt::format("statement {}, which the trace does not describe", id);
  const std::string place =
      site->file.empty() ? "-:0"
                         : fmt::format("{}:{}", trace::without_folders(site->file), site->line);
  return trace::visible(fmt::format("{} {} \"{}\"", place, shm::level_name(site->level),
                                    site->format.empty() ? site->name : site->format));
}

class SpanText {
 public:
  SpanText(const CollectedSegment& segment, const CollectedSpan& span, bool utc)
      : segment_(segment), span_(span), utc_(utc) {}

  // Everything; nothing is compared.
  std::string whole() const {
    std::string out = line("level: " + level());
    out += line("when a ring is full: " + policy(span_.state));
    for (std::size_t i = 0; i < span_.state.rules.size(); ++i) out += rule(i);
    for (std::size_t i = 0; i < span_.state.statements.size(); ++i) {
      out += line(statement(i));
    }
    return out;
  }

  // The differences from the span before.
  std::string since(const CollectedSpan& before) const {
    std::string out;
    const std::string old_level = SpanText(segment_, before, utc_).level();
    if (old_level != level()) out += line(fmt::format("level: {} -> {}", old_level, level()));
    if (policy(before.state) != policy(span_.state)) {
      out += line(
          fmt::format("when a ring is full: {} -> {}", policy(before.state), policy(span_.state)));
    }
    if (before.state.rules != span_.state.rules) {
      if (span_.state.rules.empty()) out += line("no rules");
      for (std::size_t i = 0; i < span_.state.rules.size(); ++i) out += rule(i);
    }
    out += statements_since(before);
    return out.empty() ? line("nothing is different") : out;
  }

 private:
  static std::string line(const std::string& text) { return "    " + text + "\n"; }

  std::string until(std::uint64_t deadline_ns, const std::string& after) const {
    return fmt::format(" until {}, then {}", change_time_text(deadline_ns, utc_), after);
  }

  std::string level() const {
    const CollectionState& state = span_.state;
    if (span_.level_deadline_ns == 0) return collected_level_text(state.level);
    return collected_level_text(state.level) +
           until(span_.level_deadline_ns, collected_level_text(state.level_after));
  }

  static std::string policy(const CollectionState& state) {
    if (state.overflow_policy == CollectionState::kUnknownPolicy) return "unknown";
    const auto policy = static_cast<shm::OverflowPolicy>(state.overflow_policy);
    std::string name(policy_name(policy));
    if (policy != shm::OverflowPolicy::kBlock) return name;
    return fmt::format("{}, at most {} ms without a consumer", name, state.block_timeout_ms);
  }

  std::string statement(std::size_t i) const {
    const trace::CollectedStatement& one = span_.state.statements[i];
    std::string text = std::string(state_token(one.state));
    const std::uint64_t deadline = span_.statement_deadlines_ns[i];
    if (deadline != 0) text += until(deadline, std::string(state_token(one.state_after)));
    return text + ": " + statement_text(segment_, one.site_id);
  }

  // Statements that differ in one of both spans: with the state that each has now.
  std::string statements_since(const CollectedSpan& before) const {
    std::string out;
    const auto& now = span_.state.statements;
    const auto& old = before.state.statements;
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (std::find(old.begin(), old.end(), now[i]) == old.end()) out += line(statement(i));
    }
    for (const trace::CollectedStatement& one : old) {
      const bool is_listed = std::any_of(now.begin(), now.end(), [&one](const auto& other) {
        return other.site_id == one.site_id;
      });
      const trace::Site* const site = segment_.sites->find(one.site_id);
      if (is_listed || site == nullptr) continue;
      const StatementState state = span_.state_of(*site, span_.until_ns);
      if (state == before.state_of(*site, before.until_ns)) continue;
      out += line(fmt::format("{}: {}", state_token(state), statement_text(segment_, one.site_id)));
    }
    return out;
  }

  std::string rule(std::size_t index) const {
    const CollectionRule& rule = span_.state.rules[index];
    std::string text(rule_token(rule.kind));
    for (const auto& [name, value] : rule.settings) {
      text += fmt::format(" {}=\"{}\"", trace::visible(name), trace::visible(value));
    }
    std::string out = line(text);
    for (const auto& [id, effect] : span_.effects) {
      if (rule.kind == RuleKind::kSample && effect.sample_rule == index + 1) {
        out += line("    " + statement_text(segment_, id));
      }
    }
    const bool is_last_redaction =
        rule.kind == RuleKind::kRedact &&
        std::none_of(span_.state.rules.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                     span_.state.rules.end(),
                     [](const auto& later) { return later.kind == RuleKind::kRedact; });
    return is_last_redaction ? out + hidden() : out;
  }

  // All redactions that match a statement apply, so they are listed together.
  std::string hidden() const {
    std::string out;
    for (const auto& [id, effect] : span_.effects) {
      if (effect.hidden_fields.empty()) continue;
      out += line(fmt::format("    {}: hides {}", statement_text(segment_, id),
                              fmt::join(hidden_names(segment_, effect), ", ")));
    }
    return out;
  }

  static std::vector<std::string> hidden_names(const CollectedSegment& segment,
                                               const trace::RuleEffect& effect) {
    std::vector<std::string> names;
    const trace::Site* const site = segment.sites->find(effect.site_id);
    for (const std::uint16_t field : effect.hidden_fields) {
      const bool is_known = site != nullptr && field < site->fields.size();
      names.push_back(is_known && !site->fields[field].name.empty()
                          ? trace::visible(site->fields[field].name)
                          : fmt::format("#{}", field + 1));
    }
    return names;
  }

  const CollectedSegment& segment_;
  const CollectedSpan& span_;
  bool utc_;
};

std::string changes_text(const CollectedSpan& span, bool utc) {
  std::string out;
  for (std::size_t i = 0; i < span.state.changes.size(); ++i) {
    out += fmt::format("{}  {}\n", change_time_text(span.changes_ns[i], utc),
                       change_text(span.state.changes[i]));
  }
  return out;
}

// When and by whom; an unknown change happened between two times.
std::string heading(const CollectedSpan& span, const CollectedSpan& before, bool utc) {
  std::string out = changes_text(span, utc);
  if (!out.empty()) return out;
  const std::uint64_t since = std::max(span.since_ns, before.until_ns);
  return fmt::format("{}  unknown, after {}\n", change_time_text(span.until_ns, utc),
                     change_time_text(since, utc));
}

}  // namespace

bool is_chosen(const CollectedSegment& segment, const CollectedReportOptions& options) {
  return options.services.empty() ||
         trace::any_service_glob_fits(options.services, segment.segment->service);
}

std::string_view state_token(StatementState state) {
  if (state == StatementState::kCounting) return "counting";
  return state == StatementState::kOn ? "on" : "off";
}

std::string_view rule_token(RuleKind kind) {
  switch (kind) {
    case RuleKind::kSample:
      return "sample";
    case RuleKind::kRedact:
      return "redact";
    case RuleKind::kFilter:
      return "filter";
    case RuleKind::kOption:
      break;
  }
  return "option";
}

std::string_view cause_token(trace::ChangeCause cause) {
  switch (cause) {
    case trace::ChangeCause::kTool:
      return "tool";
    case trace::ChangeCause::kService:
      return "service";
    case trace::ChangeCause::kConfiguration:
      return "configuration";
    case trace::ChangeCause::kTrigger:
      return "trigger";
    case trace::ChangeCause::kExpired:
      return "expired";
    case trace::ChangeCause::kUnknown:
      break;
  }
  return "unknown";
}

std::string change_text(const trace::CollectionChange& change) {
  std::string text = trace::visible(change.command);
  if (text.empty() && change.cause == trace::ChangeCause::kExpired) text = "a time limit expired";
  if (text.empty()) text = change.cause == trace::ChangeCause::kUnknown ? "unknown" : "a change";
  if (change.cause == trace::ChangeCause::kService) text += " in the service";
  if (!change.has_ids) return text;
  const std::string user = change.user.empty() ? "" : "user " + trace::visible(change.user) + ", ";
  return text + fmt::format(" ({}uid {}, process {})", user, change.uid, change.pid);
}

bool has_service(const trace::CollectionHistory& history, const CollectedReportOptions& options) {
  return std::any_of(history.segments().begin(), history.segments().end(),
                     [&](const auto& segment) { return is_chosen(segment, options); });
}

std::string collected_as_text(const trace::CollectionHistory& history,
                              const CollectedReportOptions& options) {
  std::string out;
  for (const CollectedSegment& segment : history.segments()) {
    if (!is_chosen(segment, options)) continue;
    if (!out.empty()) out += "\n";
    out += fmt::format("{} {}\n", trace::visible(segment.segment->service), segment.segment->pid);
    if (segment.spans.empty()) out += "the trace does not state what was collected\n";
    const CollectedSpan* before = nullptr;
    for (const CollectedSpan& span : segment.spans) {
      const SpanText text(segment, span, options.utc);
      if (before == nullptr) {
        out += changes_text(span, options.utc);
        out += fmt::format("{}  at first\n", change_time_text(span.until_ns, options.utc)) +
               text.whole();
      } else {
        out += heading(span, *before, options.utc) + text.since(*before);
      }
      before = &span;
    }
  }
  return out;
}

}  // namespace ringside::tool
