// Records on their way through the rules, in whatever pieces the encoder takes them.

#include "consumerd/rules/record_pass.hpp"

#include <gtest/gtest.h>

#include "shm-layout/dictionary_entry.hpp"
#include "standard_error_in_file.hpp"
#include "tests/trace-format/random_records.hpp"

namespace ringside::consumer_test {
namespace {

using namespace trace::testing;
using consumer::RecordPass;
using consumer::RecordRules;
using consumer::RedactionRule;
using consumer::SampleRule;

constexpr std::uint64_t kTicksOfSecond = 1'000'000;

std::span<const std::byte> bytes_of(const std::string& text) {
  return as_bytes(text);
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

trace::StatementPattern category(const std::string& name) {
  trace::StatementPattern pattern;
  pattern.categories = {name};
  std::string why;
  EXPECT_TRUE(pattern.prepare(&why)) << why;
  return pattern;
}

SampleRule sample(const std::string& of_category, std::uint64_t one_in,
                  std::uint64_t per_second = 0) {
  SampleRule rule;
  rule.statements = category(of_category);
  rule.one_in = one_in;
  rule.per_second = per_second;
  return rule;
}

RedactionRule redaction(const std::string& of_category, std::vector<std::string> fields) {
  RedactionRule rule;
  rule.statements = category(of_category);
  rule.fields = std::move(fields);
  return rule;
}

class RecordPassTest : public testing::Test {
 protected:
  void add(const TestSite& site) {
    std::string why;
    ASSERT_TRUE(sites_.add(site_entry(site), &why)) << why;
  }
  std::unique_ptr<RecordPass> pass(RecordRules rules, const std::string& service = "gateway") {
    return RecordPass::of_service(std::make_shared<RecordRules>(std::move(rules)), service,
                                  kTicksOfSecond, log_);
  }
  // Passes all of `records` at once.
  std::string through(RecordPass& pass, const std::string& records, bool samples = true) {
    EXPECT_TRUE(pass.concerns(sites_));
    std::string output = text_of(pass.look(sites_, bytes_of(records), 0, samples));
    EXPECT_EQ(pass.settle(output.size()), records.size());
    return output;
  }

  trace::SiteTable sites_;
  const StandardErrorInFile plain_;  // before the log is created
  consumer::Log log_;
};

using enum shm::FieldType;

TEST_F(RecordPassTest, IsNullForAServiceThatNoRuleNames) {
  RecordRules rules;
  rules.samples = {sample("loud", 10)};
  rules.samples[0].services = {"md*", "risk"};
  EXPECT_EQ(pass(rules, "gateway"), nullptr);
  EXPECT_NE(pass(rules, "md3"), nullptr);
  EXPECT_EQ(pass({}, "md3"), nullptr);
}

TEST_F(RecordPassTest, LooksAtNothingUntilAStatementIsConcerned) {
  RecordRules rules;
  rules.samples = {sample("loud", 10)};
  const auto one = pass(rules);
  add({.id = 1, .category = "calm"});
  EXPECT_FALSE(one->concerns(sites_));
  add({.id = 9, .category = "loud"});
  EXPECT_TRUE(one->concerns(sites_));
}

// The library numbers statements in the order of their descriptions. A dictionary with another
// order must not let a value bypass a rule.
TEST_F(RecordPassTest, KnowsStatementsInWhateverOrderTheirNumbersCome) {
  RecordRules rules;
  rules.redactions = {redaction("login", {"name"})};
  const auto one = pass(rules);
  add({.id = 9, .fields = {{string, "name"}}, .category = "login"});
  ASSERT_TRUE(one->concerns(sites_));
  add({.id = 2, .fields = {{string, "name"}}, .category = "login"});
  const std::string ada = raw_text("Ada");
  const std::string hidden = raw_text("***");
  EXPECT_EQ(through(*one, plain_record(2, 1, ada) + plain_record(9, 2, ada)),
            plain_record(2, 1, hidden) + plain_record(9, 2, hidden));
}

TEST_F(RecordPassTest, KeepsOneInNOfAStatementAndAllOfOthers) {
  add({.id = 1, .category = "calm"});
  add({.id = 2, .category = "loud"});
  RecordRules rules;
  rules.samples = {sample("loud", 3)};
  const auto one = pass(rules);
  std::string records;
  std::string expected;
  for (std::uint64_t i = 0; i < 10; ++i) {
    records += plain_record(1, 2 * i) + plain_record(2, 2 * i + 1);
    expected += plain_record(1, 2 * i) + (i % 3 == 0 ? plain_record(2, 2 * i + 1) : "");
  }
  EXPECT_EQ(through(*one, records), expected);
  EXPECT_EQ(one->left_out(), 6U);
  std::vector<trace::LossCount> unreported;
  one->append_unreported(&unreported, 100);
  ASSERT_EQ(unreported.size(), 1U);
  EXPECT_EQ(unreported[0].site_id, 2U);
  EXPECT_EQ(unreported[0].cause, shm::LossCause::kSampled);
  EXPECT_EQ(unreported[0].after - unreported[0].before, 6U);
  one->mark_reported(unreported);
  EXPECT_FALSE(one->has_unreported());
  EXPECT_EQ(through(*one, plain_record(2, 99)), "");
  std::vector<trace::LossCount> later;
  one->append_unreported(&later, 100);
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0].before, unreported[0].after);
}

TEST_F(RecordPassTest, KeepsTheFirstOfEachSecond) {
  add({.id = 2, .category = "loud"});
  RecordRules rules;
  rules.samples = {sample("loud", 0, 2)};
  const auto one = pass(rules);
  std::string records;
  std::string expected;
  // 5 a second: the first two of each are kept.
  for (std::uint64_t i = 0; i < 20; ++i) {
    const std::string record = plain_record(2, 7 * kTicksOfSecond + i * kTicksOfSecond / 5);
    records += record;
    if (i % 5 < 2) expected += record;
  }
  EXPECT_EQ(through(*one, records), expected);
}

TEST_F(RecordPassTest, SamplesNothingOfASnapshot) {
  add({.id = 2, .category = "loud"});
  RecordRules rules;
  rules.samples = {sample("loud", 1000)};
  const auto one = pass(rules);
  const std::string records = plain_record(2, 1) + plain_record(2, 2) + plain_record(2, 3);
  EXPECT_EQ(through(*one, records, false), records);
}

TEST_F(RecordPassTest, TheFirstRuleForAStatementCounts) {
  add({.id = 2, .category = "loud"});
  RecordRules rules;
  rules.samples = {sample("loud", 1), sample("loud", 1000)};
  const auto one = pass(rules);
  const std::string records = plain_record(2, 1) + plain_record(2, 2);
  EXPECT_EQ(through(*one, records), records);
}

TEST_F(RecordPassTest, HidesFieldsOfEveryType) {
  add({.id = 1,
       .fields = {{i32, "qty"},
                  {string, "user.name()"},
                  {u64, "secret_key"},
                  {string, "secret_text"},
                  {shm::array_of(u16), "secret_numbers"},
                  {shm::array_of(string), "secret_texts"},
                  {f64, "secret_price"},
                  {bytes, "payload"}},
       .category = "login"});
  RecordRules rules;
  rules.redactions = {redaction("login", {"secret_*", "name"})};
  const auto one = pass(rules);
  const std::string texts = raw(std::uint32_t{2}) + raw_text("one") + raw_text("two");
  const std::string numbers = raw(std::uint32_t{2}) + raw(std::uint16_t{7}) + raw(std::uint16_t{8});
  const std::string open = raw(std::int32_t{-5}) + raw_text("Ada");
  const std::string args = raw(std::int32_t{-5}) + raw_text("Ada") + raw(std::uint64_t{77}) +
                           raw_text("x") + numbers + texts + raw(1.5) + raw_text("body");
  const std::string hidden = raw(std::int32_t{-5}) + raw_text("***") + raw(std::uint64_t{0}) +
                             raw_text("***") + raw(std::uint32_t{0}) + raw(std::uint32_t{0}) +
                             raw(0.0) + raw_text("body");
  EXPECT_EQ(through(*one, plain_record(1, 5, args)), plain_record(1, 5, hidden));
  const std::string substream = raw(std::uint64_t{3});
  EXPECT_EQ(through(*one, extended_record(1, 6, shm::kExtSubstream, substream, args)),
            extended_record(1, 6, shm::kExtSubstream, substream, hidden))
      << "with a length that is right again";
}

TEST_F(RecordPassTest, AllRulesForAStatementHideItsFields) {
  add({.id = 1,
       .fields = {{string, "name"}, {string, "venue"}, {u64, "card"}},
       .category = "login"});
  RecordRules rules;
  rules.redactions = {redaction("login", {"name"}), redaction("other", {"venue"}),
                      redaction("login", {"card"})};
  const auto one = pass(rules);
  const std::string venue = raw_text("XETR");
  EXPECT_EQ(through(*one, plain_record(1, 5, raw_text("Ada") + venue + raw(std::uint64_t{77}))),
            plain_record(1, 5, raw_text("***") + venue + raw(std::uint64_t{0})));
}

TEST_F(RecordPassTest, HidesALongRecordAlthoughTheStandInIsLonger) {
  std::vector<TestField> fields;
  std::string args;
  std::string hidden;
  constexpr std::size_t kFields = 60;
  for (std::size_t i = 0; i < kFields; ++i) {
    fields.push_back({string, "t" + std::to_string(i)});
    args += raw_text("x");
    hidden += raw_text("");
  }
  const std::string open((shm::kMaxRecordBytes - 8 - 4) - kFields * 5, 'o');
  fields.push_back({string, "open"});
  add({.id = 1, .fields = fields, .category = "login"});
  RecordRules rules;
  rules.redactions = {redaction("login", {"t*"})};
  const auto one = pass(rules);
  EXPECT_EQ(through(*one, plain_record(1, 5, args + raw_text(open))),
            plain_record(1, 5, hidden + raw_text(open)));
}

// The encoder takes no larger context, nor does the segment.
TEST_F(RecordPassTest, HidesAContextWithoutAStandInThatMakesItTooLarge) {
  std::vector<TestField> fields;
  std::string args;
  std::string hidden;
  constexpr std::size_t kFields = 16;
  for (std::size_t i = 0; i < kFields; ++i) {
    fields.push_back({string, "t" + std::to_string(i)});
    args += raw_text("x");
    hidden += raw_text("");
  }
  add({.id = 1, .fields = fields, .category = "login", .kind = shm::SiteKind::kContext});
  RecordRules rules;
  rules.redactions = {redaction("login", {"t*"})};
  rules.redactions[0].text = std::string(64, 'z');
  const auto one = pass(rules);
  EXPECT_EQ(through(*one, plain_record(1, 5, args)), plain_record(1, 5, hidden));
  const auto bytes = bytes_of(args);
  const trace::StreamContext context{1, {bytes.begin(), bytes.end()}};
  EXPECT_EQ(text_of(one->hidden(sites_, context).arguments), hidden);
}

TEST_F(RecordPassTest, LeavesAConstantAndReportsIt) {
  add({.id = 1, .fields = {{string, "venue", true, "XETR"}, {i32, "qty"}}, .category = "login"});
  RecordRules rules;
  rules.redactions = {redaction("login", {"venue"})};
  const auto one = pass(rules);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(one->concerns(sites_)) << "nothing else is hidden";
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("cannot hide venue of the statement file.cpp:10"), std::string::npos) << said;
}

TEST_F(RecordPassTest, StopsBeforeBytesThatAreNotARecord) {
  add({.id = 1, .fields = {{string, "name"}}, .category = "login"});
  RecordRules rules;
  rules.redactions = {redaction("login", {"name"})};
  const auto one = pass(rules);
  ASSERT_TRUE(one->concerns(sites_));
  const std::string good = plain_record(1, 5, raw_text("Ada"));
  const std::string bad = plain_record(1, 5, raw(std::uint32_t{0x7FFFFFFF}) + "secret");
  const auto output = one->look(sites_, bytes_of(good + bad), 0, true);
  EXPECT_EQ(text_of(output), plain_record(1, 5, raw_text("***")));
  EXPECT_NE(one->corrupt_reason(), nullptr);
  EXPECT_EQ(one->settle(output.size()), good.size());
  EXPECT_EQ(text_of(one->look(sites_, bytes_of(bad), 0, true)), "");
  EXPECT_NE(one->corrupt_reason(), nullptr);
}

// Random statements, records and rules; the encoder takes any number of whole records at a time.
TEST_F(RecordPassTest, GivesTheSameInWhateverPieces) {
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomRecords random(seed);
  constexpr std::uint32_t kSites = 12;
  std::vector<TestSite> sites;
  for (std::uint32_t id = 1; id <= kSites; ++id) {
    TestSite site = random.site(id);
    site.kind = shm::SiteKind::kLog;               // contexts are never left out
    site.category = "c" + std::to_string(id % 4);  // c0: none, c1: sampled, c2: hidden, c3: both
    for (std::size_t i = 0; i < site.fields.size(); ++i) {
      site.fields[i].name = (i % 2 == 0 ? "open" : "hidden") + std::to_string(i);
    }
    sites.push_back(site);
    add(site);
  }
  RecordRules rules;
  rules.samples = {sample("c1", 3), sample("c3", 2)};
  rules.redactions = {redaction("c2", {"hidden*"}), redaction("c3", {"hidden*"})};
  const auto one = pass(rules);
  testing::internal::CaptureStderr();  // constants cannot be hidden
  ASSERT_TRUE(one->concerns(sites_));
  testing::internal::GetCapturedStderr();

  std::string input;
  std::string expected;
  std::map<std::uint32_t, std::uint64_t> seen;
  std::uint64_t left_out = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    if (random.below(20) == 0) {
      const std::string control = random.below(2) == 0 ? clock_record(i) : pad_record(8 + i % 9);
      input += control;
      expected += control;
      continue;
    }
    const TestSite& site = sites[random.below(kSites)];
    const bool sampled = site.id % 4 == 1 || site.id % 4 == 3;
    const bool hides = site.id % 4 == 2 || site.id % 4 == 3;
    std::string args;
    std::string stored;
    for (const TestField& field : site.fields) {
      if (field.constant) continue;
      const std::string value = random.argument(field.type);
      args += value;
      if (!hides || !field.name.starts_with("hidden")) {
        stored += value;
      } else if (shm::is_array(field.type)) {
        stored += raw(std::uint32_t{0});
      } else if (shm::is_variable_length(field.type)) {
        stored += raw_text("***");
      } else {
        stored += std::string(value.size(), '\0');
      }
    }
    input += plain_record(site.id, i, args);
    const std::uint64_t number = seen[site.id]++;
    const bool kept = !sampled || number % (site.id % 4 == 1 ? 3 : 2) == 0;
    if (kept) {
      expected += plain_record(site.id, i, stored);
    } else {
      ++left_out;
    }
  }

  std::string output;
  std::size_t at = 0;
  while (at < input.size()) {
    const std::size_t most = std::size_t{1} << (5 + random.below(16));
    const auto rest = bytes_of(input).subspan(at);
    const auto given = one->look(sites_, rest.first(std::min(most, rest.size())), 0, true);
    ASSERT_EQ(one->corrupt_reason(), nullptr);
    // The encoder takes a random number of whole records.
    std::size_t taken = 0;
    while (taken < given.size() && random.below(40) != 0) {
      const auto record = trace::view_ring_record(sites_, given.subspan(taken));
      ASSERT_EQ(record.state, trace::RingRecordView::State::kWhole);
      taken += record.bytes.size();
    }
    output += text_of(given.first(taken));
    at += one->settle(taken);
  }
  EXPECT_EQ(output, expected);
  EXPECT_EQ(one->left_out(), left_out);
}

}  // namespace
}  // namespace ringside::consumer_test
