// What was collected comes back as it was written, in the order of time and each change once, and
// no block does harm.
#include "trace-format/blocks/collection_block.hpp"

#include <random>

#include <gtest/gtest.h>

#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/reader/collection_history.hpp"
#include "trace_file_builder.hpp"

namespace ringside::trace::testing {
namespace {

constexpr std::uint8_t kInfo = static_cast<std::uint8_t>(shm::Level::kInfo);
constexpr std::uint8_t kError = static_cast<std::uint8_t>(shm::Level::kError);

CollectionState plain(std::uint64_t tsc, std::uint8_t level = kInfo) {
  CollectionState state;
  state.since_tsc = state.until_tsc = tsc;
  state.level = state.level_after = level;
  state.overflow_policy = 1;
  return state;
}

CollectionChange change(std::uint64_t number, std::uint64_t tsc,
                        ChangeCause cause = ChangeCause::kTool) {
  return {cause, true, tsc, number, 1000, 77, "ann", "ringctl level error"};
}

CollectionState full() {
  CollectionState state = plain(20);
  state.since_tsc = 10;
  state.level_after = kError;
  state.level_deadline_tsc = 500;
  state.block_timeout_ms = 30;
  state.statements = {{1, StatementState::kCounting, StatementState::kOff, 400},
                      {7, StatementState::kOff, StatementState::kOff, 0}};
  state.changes = {change(3, 20)};
  state.rules = {{RuleKind::kSample, {{"site", "pulse*"}, {"keep-one-in", "10"}}},
                 {RuleKind::kRedact, {}}};
  return state;
}

Bytes bytes_of(const CollectionState& state) {
  Bytes bytes(collection_block_bytes(state));
  EXPECT_EQ(write_collection_block(state, bytes), bytes.size());
  return bytes;
}

Bytes bytes_of(const std::vector<RuleEffect>& effects) {
  Bytes bytes(rule_effects_block_bytes(effects));
  EXPECT_EQ(write_rule_effects_block(effects, bytes), bytes.size());
  return bytes;
}

std::span<const std::byte> payload_in(const Bytes& block) {
  return std::span(block).subspan(kBlockHeaderBytes);
}

// The only segment of files with these blocks in one section each.
std::vector<CollectedSpan> spans_of(const std::vector<std::vector<Bytes>>& files,
                                    ReadReport* report = nullptr) {
  const TemporaryDirectory directory;
  CollectionHistory history;
  std::uint32_t number = 0;
  for (const std::vector<Bytes>& blocks : files) {
    TraceFileBuilder file;
    file.begin(1, "service", number);
    for (const Bytes& block : blocks) append(file.bytes, block);
    file.end();
    ReadError error;
    const std::string name = "file-" + std::to_string(number++) + ".ringtrace";
    EXPECT_TRUE(history.add(directory.write(name, file.bytes), &error)) << error.text();
  }
  history.finish();
  if (report != nullptr) *report = history.report();
  EXPECT_EQ(history.segments().size(), 1U);
  return history.segments().front().spans;
}

TEST(CollectionBlock, GivesBackWhatWasWritten) {
  CollectionState read;
  ASSERT_TRUE(CollectionState::parse(payload_in(bytes_of(full())), read));
  EXPECT_TRUE(read.collects_as(full()));
  EXPECT_EQ(read.since_tsc, 10U);
  EXPECT_EQ(read.until_tsc, 20U);
  ASSERT_EQ(read.changes.size(), 1U);
  EXPECT_EQ(read.changes[0].cause, ChangeCause::kTool);
  EXPECT_TRUE(read.changes[0].has_ids);
  EXPECT_EQ(read.changes[0].number, 3U);
  EXPECT_EQ(read.changes[0].uid, 1000U);
  EXPECT_EQ(read.changes[0].pid, 77U);
  EXPECT_EQ(read.changes[0].user, "ann");
  EXPECT_EQ(read.changes[0].command, "ringctl level error");
}

TEST(CollectionBlock, GivesBackTheEffectsOfRules) {
  const std::vector<RuleEffect> effects{{4, 1, {}}, {9, 0, {2, 5}}};
  std::vector<RuleEffect> read;
  ASSERT_TRUE(parse_rule_effects(payload_in(bytes_of(effects)), read));
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].sample_rule, 1U);
  EXPECT_EQ(read[1].site_id, 9U);
  EXPECT_EQ(read[1].hidden_fields, (std::vector<std::uint16_t>{2, 5}));
}

TEST(CollectionBlock, EveryCutIsDamage) {
  const Bytes state = bytes_of(full());
  const Bytes effects = bytes_of(std::vector<RuleEffect>{{9, 0, {2, 5}}});
  CollectionState read;
  std::vector<RuleEffect> read_effects;
  for (std::size_t size = 0; size < payload_in(state).size(); ++size) {
    EXPECT_FALSE(CollectionState::parse(payload_in(state).first(size), read)) << size;
  }
  for (std::size_t size = 0; size < payload_in(effects).size(); ++size) {
    EXPECT_FALSE(parse_rule_effects(payload_in(effects).first(size), read_effects)) << size;
  }
}

TEST(CollectionBlock, RandomBytesAreSurvived) {
  std::mt19937 random(7);
  const Bytes state = bytes_of(full());
  for (int round = 0; round < 20'000; ++round) {
    Bytes bytes(payload_in(state).begin(), payload_in(state).end());
    for (int changes = 1 + static_cast<int>(random() % 4); changes > 0; --changes) {
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    }
    CollectionState read;
    std::vector<RuleEffect> effects;
    CollectionState::parse(bytes, read);
    bytes[0] = std::byte{2};
    parse_rule_effects(bytes, effects);
    // A count alone reserves no memory.
    EXPECT_LE(read.statements.size(), bytes.size() / kCollectedStatementBytes);
    EXPECT_LE(effects.size(), bytes.size() / kRuleEffectBytes);
  }
}

TEST(CollectionBlock, BytesAfterTheKnownOnesAreIgnored) {
  Bytes bytes = bytes_of(full());
  bytes.insert(bytes.end(), 20, std::byte{0x55});
  CollectionState read;
  ASSERT_TRUE(CollectionState::parse(payload_in(bytes), read));
  EXPECT_TRUE(read.collects_as(full()));
}

TEST(CollectionHistory, OrdersByTimeAndMergesWhatOnlyRepeats) {
  CollectionState changed = plain(200, kError);
  changed.changes = {change(1, 200)};
  // The second file repeats the state of its beginning; its blocks are in the wrong order.
  const auto spans =
      spans_of({{bytes_of(changed), bytes_of(plain(100))}, {bytes_of(plain(300, kError))}});
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0].state.level, kInfo);
  EXPECT_EQ(spans[1].state.level, kError);
  EXPECT_EQ(spans[1].until_ns, 200U);
}

TEST(CollectionHistory, AChangeThatASuccessorStatesAgainCountsOnce) {
  CollectionState changed = plain(200, kError);
  changed.changes = {change(5, 200), change(5, 200, ChangeCause::kService)};
  CollectionState again = plain(400, kError);
  again.changes = {change(5, 200, ChangeCause::kTrigger), change(5, 200, ChangeCause::kService),
                   change(6, 390)};
  const auto spans = spans_of({{bytes_of(plain(100)), bytes_of(changed)}, {bytes_of(again)}});
  ASSERT_EQ(spans.size(), 3U);
  EXPECT_EQ(spans[1].state.changes.size(), 2U);
  ASSERT_EQ(spans[2].state.changes.size(), 1U);
  EXPECT_EQ(spans[2].state.changes[0].number, 6U);
  EXPECT_EQ(spans[2].changes_ns[0], 390U);
}

TEST(CollectionHistory, TellsTheStateOfAStatementByLevelExceptionAndTimeLimit) {
  const auto spans = spans_of({{bytes_of(full())}});
  ASSERT_EQ(spans.size(), 1U);
  Site site;
  site.id = 1;
  site.level = shm::Level::kWarning;
  EXPECT_EQ(spans[0].state_of(site, 399), StatementState::kCounting);
  EXPECT_EQ(spans[0].state_of(site, 400), StatementState::kOff);
  site.id = 2;
  EXPECT_EQ(spans[0].state_of(site, 499), StatementState::kOn);
  EXPECT_EQ(spans[0].state_of(site, 500), StatementState::kOff);
  site.level = shm::Level::kDebug;
  EXPECT_EQ(spans[0].state_of(site, 20), StatementState::kOff);
}

TEST(CollectionHistory, EffectsBelongToTheStateBeforeThem) {
  const auto spans =
      spans_of({{bytes_of(std::vector<RuleEffect>{{2, 1, {}}}), bytes_of(plain(100)),
                 bytes_of(std::vector<RuleEffect>{{3, 1, {}}}),
                 bytes_of(std::vector<RuleEffect>{{4, 0, {1}}}), bytes_of(plain(200, kError))}});
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0].effects.size(), 2U);
  EXPECT_TRUE(spans[0].effects.contains(3) && spans[0].effects.contains(4));
  EXPECT_TRUE(spans[1].effects.empty());
}

TEST(CollectionHistory, AnUnsoundBlockIsReportedAndTheOthersAreRead) {
  Bytes unsound = bytes_of(full());
  unsound[kBlockHeaderBytes + 36] = std::byte{0xFF};  // the count of statements
  write_block_frame(unsound.data(), BlockType::kCollection, unsound.size() - kBlockHeaderBytes);
  ReadReport report;
  const auto spans = spans_of({{unsound, bytes_of(plain(100))}}, &report);
  EXPECT_EQ(spans.size(), 1U);
  EXPECT_EQ(report.damaged_blocks, 1U);
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_NE(report.notes[0].what.find("COLLECTION"), std::string::npos);
}

TEST(CollectionHistory, AFileWithoutBlocksStatesNothing) {
  EXPECT_TRUE(spans_of({{}}).empty());
}

}  // namespace
}  // namespace ringside::trace::testing
