// COLLECTION blocks: what a consumer collected from a service, from when on, and who changed it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ringside::trace {

enum class ChangeCause : std::uint32_t {
  kUnknown = 0,
  kTool = 1,           // ringctl, or another program that controls services
  kService = 2,        // the service itself
  kConfiguration = 3,  // the consumer read its configuration
  kTrigger = 4,        // a trigger of a consumer
  kExpired = 5,        // the time limit of an earlier change was reached
};
inline constexpr std::uint32_t kLastChangeCause = 5;

// Who changed what is collected, as far as that is known. Texts are cut to 65,535 bytes.
struct CollectionChange {
  ChangeCause cause = ChangeCause::kUnknown;
  bool has_ids = false;  // uid and pid are known
  std::uint64_t tsc = 0;
  // Of the segment's changes with the same cause, from 1. A consumer that takes a segment over may
  // report a change again, with the same number. 0: not numbered.
  std::uint64_t number = 0;
  std::uint32_t uid = 0;
  std::uint32_t pid = 0;  // of the program, as it sees itself
  std::string user;       // as the program's environment names it
  std::string command;    // what did it, such as "ringctl level debug --for 30s"
};

enum class StatementState : std::uint8_t { kOff = 0, kOn = 1, kCounting = 2 };

// A statement that is not in the state that the level gives it.
struct CollectedStatement {
  std::uint32_t site_id = 0;
  StatementState state = StatementState::kOff;
  StatementState state_after = StatementState::kOff;  // the same without a deadline
  std::uint64_t deadline_tsc = 0;                     // 0: none

  bool operator==(const CollectedStatement&) const = default;
};

enum class RuleKind : std::uint16_t {
  kSample = 1,  // leaves records out
  kRedact = 2,  // hides values
  kFilter = 3,  // selects what this consumer collects
  kOption = 4,  // any other setting, of a foreign format
};

// The settings of a rule, in the order of the configuration: "of-level" is "debug".
struct CollectionRule {
  RuleKind kind = RuleKind::kOption;
  std::vector<std::pair<std::string, std::string>> settings;

  bool operator==(const CollectionRule&) const = default;
};

// Everything that was in force from `until_tsc` on, up to the next block of the segment.
struct CollectionState {
  static constexpr std::uint8_t kUnknownPolicy = 0xFF;

  // It came into force between these two times. `since_tsc` 0: unknown.
  std::uint64_t since_tsc = 0;
  std::uint64_t until_tsc = 0;
  std::uint8_t level = 0;  // shm::Level: statements below it are off
  std::uint8_t level_after = 0;
  std::uint64_t level_deadline_tsc = 0;           // 0: none
  std::uint8_t overflow_policy = kUnknownPolicy;  // shm::OverflowPolicy
  std::uint32_t block_timeout_ms = 0;
  std::vector<CollectedStatement> statements;  // by rising id
  std::vector<CollectionChange> changes;       // since the block before, as far as they are known
  std::vector<CollectionRule> rules;

  bool collects_as(const CollectionState& other) const;  // without times and changes
  // False if the payload is not a sound block of this kind. Views nothing of it.
  static bool parse(std::span<const std::byte> payload, CollectionState& state);
};

// What the rules of the preceding state do to one statement.
struct RuleEffect {
  std::uint32_t site_id = 0;
  std::uint16_t sample_rule = 0;             // 1 + index in CollectionState::rules; 0: none
  std::vector<std::uint16_t> hidden_fields;  // indices
};

// The kind of a COLLECTION block, its first u32.
enum class CollectionKind : std::uint32_t { kState = 1, kEffects = 2 };

bool parse_collection_kind(std::span<const std::byte> payload, CollectionKind& kind);
bool parse_rule_effects(std::span<const std::byte> payload, std::vector<RuleEffect>& effects);

std::size_t collection_block_bytes(const CollectionState& state);
std::size_t rule_effects_block_bytes(std::span<const RuleEffect> effects);
// Like the functions of block_writer.hpp.
std::size_t write_collection_block(const CollectionState& state, std::span<std::byte> out);
std::size_t write_rule_effects_block(std::span<const RuleEffect> effects, std::span<std::byte> out);

}  // namespace ringside::trace
