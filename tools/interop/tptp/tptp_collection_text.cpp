#include "tools/interop/tptp/tptp_collection_text.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "tools/interop/tptp/tptp_record_text.hpp"

namespace ringside::tool::tptp {
namespace {

using trace::CollectionState;
using trace::StatementState;

StatementState state_of(std::uint32_t number) {
  constexpr auto kMost = static_cast<std::uint32_t>(StatementState::kCounting);
  return number > kMost ? StatementState::kOff : static_cast<StatementState>(number);
}

template <class Small>
Small small(RecordText& text) {
  constexpr std::uint32_t kMost = std::numeric_limits<Small>::max();
  return static_cast<Small>(std::min(text.number<std::uint32_t>(), kMost));
}

void append_state(std::string& out, const CollectionState& state) {
  append_number(out, state.since_tsc);
  append_number(out, state.until_tsc);
  append_number(out, state.level);
  append_number(out, state.level_after);
  append_number(out, state.level_deadline_tsc);
  append_number(out, state.overflow_policy);
  append_number(out, state.block_timeout_ms);
  append_number(out, state.statements.size());
  for (const trace::CollectedStatement& statement : state.statements) {
    append_number(out, statement.site_id);
    append_number(out, static_cast<std::uint64_t>(statement.state));
    append_number(out, static_cast<std::uint64_t>(statement.state_after));
    append_number(out, statement.deadline_tsc);
  }
  append_number(out, state.changes.size());
  for (const trace::CollectionChange& change : state.changes) {
    append_number(out, static_cast<std::uint64_t>(change.cause));
    append_number(out, change.tsc);
    append_number(out, change.number);
    append_number(out, change.has_ids ? 1 : 0);
    append_number(out, change.uid);
    append_number(out, change.pid);
    append_text(out, change.user);
    append_text(out, change.command);
  }
  append_number(out, state.rules.size());
  for (const trace::CollectionRule& rule : state.rules) {
    append_number(out, static_cast<std::uint64_t>(rule.kind));
    append_number(out, rule.settings.size());
    for (const auto& [name, value] : rule.settings) {
      append_text(out, name);
      append_text(out, value);
    }
  }
}

void take_state(RecordText& text, CollectionState& state) {
  state.since_tsc = text.number<std::uint64_t>();
  state.until_tsc = text.number<std::uint64_t>();
  state.level = small<std::uint8_t>(text);
  state.level_after = small<std::uint8_t>(text);
  state.level_deadline_tsc = text.number<std::uint64_t>();
  state.overflow_policy = small<std::uint8_t>(text);
  state.block_timeout_ms = text.number<std::uint32_t>();
  // A count is not trusted: the text ends first.
  for (auto left = text.number<std::uint64_t>(); left != 0 && text.ok(); --left) {
    trace::CollectedStatement& statement = state.statements.emplace_back();
    statement.site_id = text.number<std::uint32_t>();
    statement.state = state_of(text.number<std::uint32_t>());
    statement.state_after = state_of(text.number<std::uint32_t>());
    statement.deadline_tsc = text.number<std::uint64_t>();
  }
  for (auto left = text.number<std::uint64_t>(); left != 0 && text.ok(); --left) {
    trace::CollectionChange& change = state.changes.emplace_back();
    const auto cause = text.number<std::uint32_t>();
    if (cause <= trace::kLastChangeCause) change.cause = static_cast<trace::ChangeCause>(cause);
    change.tsc = text.number<std::uint64_t>();
    change.number = text.number<std::uint64_t>();
    change.has_ids = text.number<std::uint32_t>() != 0;
    change.uid = text.number<std::uint32_t>();
    change.pid = text.number<std::uint32_t>();
    change.user = text.text();
    change.command = text.text();
  }
  for (auto left = text.number<std::uint64_t>(); left != 0 && text.ok(); --left) {
    trace::CollectionRule& rule = state.rules.emplace_back();
    rule.kind = static_cast<trace::RuleKind>(small<std::uint16_t>(text));
    for (auto settings = text.number<std::uint64_t>(); settings != 0 && text.ok(); --settings) {
      std::string name(text.text());
      rule.settings.emplace_back(std::move(name), std::string(text.text()));
    }
  }
}

}  // namespace

void append_collected(std::string& out, const CollectedInUnixTime& collected) {
  append_state(out, collected.state);
  append_number(out, collected.effects.size());
  for (const trace::RuleEffect& effect : collected.effects) {
    append_number(out, effect.site_id);
    append_number(out, effect.sample_rule);
    append_number(out, effect.hidden_fields.size());
    for (const std::uint16_t field : effect.hidden_fields) append_number(out, field);
  }
}

bool take_collected(std::string_view text, CollectedInUnixTime& collected) {
  RecordText tokens(text);
  take_state(tokens, collected.state);
  for (auto left = tokens.number<std::uint64_t>(); left != 0 && tokens.ok(); --left) {
    trace::RuleEffect& effect = collected.effects.emplace_back();
    effect.site_id = tokens.number<std::uint32_t>();
    effect.sample_rule = small<std::uint16_t>(tokens);
    for (auto fields = tokens.number<std::uint64_t>(); fields != 0 && tokens.ok(); --fields) {
      effect.hidden_fields.push_back(small<std::uint16_t>(tokens));
    }
  }
  return tokens.done();
}

std::pair<std::string_view, std::string> rule_option(const trace::CollectionRule& rule) {
  std::string value;
  for (const auto& [name, setting] : rule.settings) {
    value += value.empty() ? "" : " ";
    value += name;
    value += '=';
    std::string quoted;
    append_text(quoted, setting);
    value += quoted.substr(1);  // without the blank before a token
  }
  switch (rule.kind) {
    case trace::RuleKind::kSample:
      return {"sample", value};
    case trace::RuleKind::kRedact:
      return {"redact", value};
    case trace::RuleKind::kFilter:
      return {"filter", value};
    case trace::RuleKind::kOption:
      break;
  }
  return {"option", value};
}

}  // namespace ringside::tool::tptp
