#include "trace-format/blocks/collection_block.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::trace {
namespace {

constexpr std::size_t kMostCollectedTextBytes = 0xFFFF;
constexpr std::size_t kMostSettings = 0xFFFF;
constexpr std::uint32_t kHasIds = 1U << 0;

std::size_t text_bytes(const std::string& text) {
  return 2 + std::min(text.size(), kMostCollectedTextBytes);
}

std::size_t change_bytes(const CollectionChange& change) {
  return kCollectionChangeBytes + text_bytes(change.user) + text_bytes(change.command);
}

std::size_t rule_bytes(const CollectionRule& rule) {
  std::size_t bytes = kCollectionRuleBytes;
  for (const auto& [name, value] : rule.settings) bytes += text_bytes(name) + text_bytes(value);
  return bytes;
}

// Appends to memory that the caller has measured.
class Output {
 public:
  explicit Output(std::byte* at) : at_(at) {}
  template <class Number>
  void put(Number number) {
    store(at_, number);
    at_ += sizeof number;
  }
  void put_text(const std::string& text) {
    const std::size_t bytes = std::min(text.size(), kMostCollectedTextBytes);
    put(static_cast<std::uint16_t>(bytes));
    if (bytes != 0) std::memcpy(at_, text.data(), bytes);
    at_ += bytes;
  }

 private:
  std::byte* at_;
};

// Takes from the front of unchecked bytes. After a failure it gives zeros.
class Input {
 public:
  explicit Input(std::span<const std::byte> rest) : rest_(rest) {}

  template <class Number>
  Number take() {
    if (!take_bytes(sizeof(Number))) return Number{};
    return load<Number>(rest_.data() - sizeof(Number));
  }
  std::string take_text() {
    const std::size_t bytes = take<std::uint16_t>();
    if (!take_bytes(bytes)) return {};
    return {reinterpret_cast<const char*>(rest_.data() - bytes), bytes};
  }
  // An entry that begins with its own size; what follows its known members is ignored.
  Input take_entry() {
    const std::size_t size_bytes = sizeof(std::uint32_t);
    const auto bytes = take<std::uint32_t>();
    if (bytes < size_bytes || !take_bytes(bytes - size_bytes)) {
      failed_ = true;
      return Input({});
    }
    const std::size_t body = bytes - size_bytes;
    return Input({rest_.data() - body, body});
  }
  bool failed() const { return failed_; }
  std::size_t size() const { return rest_.size(); }

 private:
  bool take_bytes(std::size_t bytes) {
    failed_ = failed_ || bytes > rest_.size();
    if (!failed_) rest_ = rest_.subspan(bytes);
    return !failed_;
  }

  std::span<const std::byte> rest_;
  bool failed_ = false;
};

StatementState state_of(std::uint8_t stored) {
  return stored > static_cast<std::uint8_t>(StatementState::kCounting)
             ? StatementState::kOff
             : static_cast<StatementState>(stored);
}

bool take_change(Input entry, CollectionChange& change) {
  const auto cause = entry.take<std::uint32_t>();
  change.cause = cause > kLastChangeCause ? ChangeCause::kUnknown : static_cast<ChangeCause>(cause);
  change.tsc = entry.take<std::uint64_t>();
  change.number = entry.take<std::uint64_t>();
  change.has_ids = (entry.take<std::uint32_t>() & kHasIds) != 0;
  change.uid = entry.take<std::uint32_t>();
  change.pid = entry.take<std::uint32_t>();
  change.user = entry.take_text();
  change.command = entry.take_text();
  return !entry.failed();
}

bool take_rule(Input entry, CollectionRule& rule) {
  rule.kind = static_cast<RuleKind>(entry.take<std::uint16_t>());
  const std::size_t count = entry.take<std::uint16_t>();
  for (std::size_t i = 0; i < count && !entry.failed(); ++i) {
    std::string name = entry.take_text();
    rule.settings.emplace_back(std::move(name), entry.take_text());
  }
  return !entry.failed();
}

CollectedStatement take_statement(Input& input) {
  CollectedStatement statement;
  statement.site_id = input.take<std::uint32_t>();
  statement.state = state_of(input.take<std::uint8_t>());
  statement.state_after = state_of(input.take<std::uint8_t>());
  input.take<std::uint16_t>();
  statement.deadline_tsc = input.take<std::uint64_t>();
  return statement;
}

std::byte* place_of_payload(std::span<std::byte> out, std::size_t block_bytes) {
  if (out.size() < block_bytes || block_bytes - kBlockHeaderBytes > kMaxPayloadBytes) {
    return nullptr;
  }
  return out.data() + kBlockHeaderBytes;
}

}  // namespace

bool CollectionState::collects_as(const CollectionState& other) const {
  return level == other.level && level_after == other.level_after &&
         level_deadline_tsc == other.level_deadline_tsc &&
         overflow_policy == other.overflow_policy && block_timeout_ms == other.block_timeout_ms &&
         statements == other.statements && rules == other.rules;
}

bool parse_collection_kind(std::span<const std::byte> payload, CollectionKind& kind) {
  if (payload.size() < sizeof(std::uint32_t)) return false;
  kind = static_cast<CollectionKind>(load<std::uint32_t>(payload.data()));
  return true;
}

bool CollectionState::parse(std::span<const std::byte> payload, CollectionState& state) {
  state = {};
  if (payload.size() < kCollectionStateFixedBytes) return false;
  Input input(payload);
  if (input.take<std::uint32_t>() != static_cast<std::uint32_t>(CollectionKind::kState)) {
    return false;
  }
  state.block_timeout_ms = input.take<std::uint32_t>();
  state.since_tsc = input.take<std::uint64_t>();
  state.until_tsc = input.take<std::uint64_t>();
  state.level_deadline_tsc = input.take<std::uint64_t>();
  state.level = input.take<std::uint8_t>();
  state.level_after = input.take<std::uint8_t>();
  state.overflow_policy = input.take<std::uint8_t>();
  input.take<std::uint8_t>();
  const std::size_t statements = input.take<std::uint32_t>();
  const std::size_t changes = input.take<std::uint32_t>();
  const std::size_t rules = input.take<std::uint32_t>();
  // Each takes at least these bytes, so that a count alone reserves no memory.
  if (statements > input.size() / kCollectedStatementBytes) return false;
  for (std::size_t i = 0; i < statements; ++i) state.statements.push_back(take_statement(input));
  for (std::size_t i = 0; i < changes && !input.failed(); ++i) {
    if (!take_change(input.take_entry(), state.changes.emplace_back())) return false;
  }
  for (std::size_t i = 0; i < rules && !input.failed(); ++i) {
    if (!take_rule(input.take_entry(), state.rules.emplace_back())) return false;
  }
  return !input.failed();
}

std::size_t collection_block_bytes(const CollectionState& state) {
  std::size_t bytes = kBlockHeaderBytes + kCollectionStateFixedBytes +
                      state.statements.size() * kCollectedStatementBytes;
  for (const CollectionChange& change : state.changes) bytes += change_bytes(change);
  for (const CollectionRule& rule : state.rules) bytes += rule_bytes(rule);
  return bytes;
}

std::size_t write_collection_block(const CollectionState& state, std::span<std::byte> out) {
  const std::size_t bytes = collection_block_bytes(state);
  std::byte* const payload = place_of_payload(out, bytes);
  if (payload == nullptr) return 0;
  Output output(payload);
  output.put(static_cast<std::uint32_t>(CollectionKind::kState));
  output.put(state.block_timeout_ms);
  output.put(state.since_tsc);
  output.put(state.until_tsc);
  output.put(state.level_deadline_tsc);
  output.put(state.level);
  output.put(state.level_after);
  output.put(state.overflow_policy);
  output.put(std::uint8_t{0});
  output.put(static_cast<std::uint32_t>(state.statements.size()));
  output.put(static_cast<std::uint32_t>(state.changes.size()));
  output.put(static_cast<std::uint32_t>(state.rules.size()));
  for (const CollectedStatement& statement : state.statements) {
    output.put(statement.site_id);
    output.put(static_cast<std::uint8_t>(statement.state));
    output.put(static_cast<std::uint8_t>(statement.state_after));
    output.put(std::uint16_t{0});
    output.put(statement.deadline_tsc);
  }
  for (const CollectionChange& change : state.changes) {
    output.put(static_cast<std::uint32_t>(change_bytes(change)));
    output.put(static_cast<std::uint32_t>(change.cause));
    output.put(change.tsc);
    output.put(change.number);
    output.put(change.has_ids ? kHasIds : std::uint32_t{0});
    output.put(change.uid);
    output.put(change.pid);
    output.put_text(change.user);
    output.put_text(change.command);
  }
  for (const CollectionRule& rule : state.rules) {
    const std::size_t settings = std::min(rule.settings.size(), kMostSettings);
    output.put(static_cast<std::uint32_t>(rule_bytes(rule)));
    output.put(static_cast<std::uint16_t>(rule.kind));
    output.put(static_cast<std::uint16_t>(settings));
    for (const auto& [name, value] : rule.settings) {
      output.put_text(name);
      output.put_text(value);
    }
  }
  write_block_frame(out.data(), BlockType::kCollection, bytes - kBlockHeaderBytes);
  return bytes;
}

bool parse_rule_effects(std::span<const std::byte> payload, std::vector<RuleEffect>& effects) {
  effects.clear();
  if (payload.size() < kRuleEffectsFixedBytes) return false;
  Input input(payload);
  if (input.take<std::uint32_t>() != static_cast<std::uint32_t>(CollectionKind::kEffects)) {
    return false;
  }
  const std::size_t count = input.take<std::uint32_t>();
  for (std::size_t i = 0; i < count; ++i) {
    RuleEffect effect;
    effect.site_id = input.take<std::uint32_t>();
    effect.sample_rule = input.take<std::uint16_t>();
    const std::size_t hidden = input.take<std::uint16_t>();
    for (std::size_t field = 0; field < hidden && !input.failed(); ++field) {
      effect.hidden_fields.push_back(input.take<std::uint16_t>());
    }
    if (input.failed()) return false;
    effects.push_back(std::move(effect));
  }
  return true;
}

std::size_t rule_effects_block_bytes(std::span<const RuleEffect> effects) {
  std::size_t bytes = kBlockHeaderBytes + kRuleEffectsFixedBytes;
  for (const RuleEffect& effect : effects) {
    bytes += kRuleEffectBytes + 2 * effect.hidden_fields.size();
  }
  return bytes;
}

std::size_t write_rule_effects_block(std::span<const RuleEffect> effects,
                                     std::span<std::byte> out) {
  const std::size_t bytes = rule_effects_block_bytes(effects);
  std::byte* const payload = place_of_payload(out, bytes);
  if (payload == nullptr) return 0;
  Output output(payload);
  output.put(static_cast<std::uint32_t>(CollectionKind::kEffects));
  output.put(static_cast<std::uint32_t>(effects.size()));
  for (const RuleEffect& effect : effects) {
    output.put(effect.site_id);
    output.put(effect.sample_rule);
    output.put(static_cast<std::uint16_t>(effect.hidden_fields.size()));
    for (const std::uint16_t field : effect.hidden_fields) output.put(field);
  }
  write_block_frame(out.data(), BlockType::kCollection, bytes - kBlockHeaderBytes);
  return bytes;
}

}  // namespace ringside::trace
