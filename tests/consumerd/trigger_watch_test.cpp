// Which records fire which triggers, which rules are valid, and how often a rule fires.
#include "consumerd/triggers/trigger_watch.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "watched_shop.hpp"

namespace ringside::consumer_test {
namespace {

TEST(TriggerWatch, KnowsStatementsInWhateverOrderTheirNumbersCome) {
  Shop shop({record_rule("qty > 5")});
  shop.knows({.id = 9, .fields = {{FieldType::i32, "qty"}}});
  ASSERT_TRUE(shop.looks());
  shop.knows({.id = 2, .fields = {{FieldType::i32, "qty"}}});
  EXPECT_EQ(shop.fired(plain_record(2, 1, raw(std::int32_t{6}))).size(), 1U);
  EXPECT_EQ(shop.fired(plain_record(9, 2, raw(std::int32_t{6}))).size(), 1U);
}

TEST(TriggerWatch, ChecksArguments) {
  Shop shop({record_rule("price > 100 && side == \"B\" && id < 3")});
  shop.knows(kFilled).knows(kQueue);
  EXPECT_EQ(shop.fired(filled(1, 99, "B")), Lines{});
  EXPECT_EQ(shop.fired(filled(1, 101, "S")), Lines{});
  EXPECT_EQ(shop.fired(filled(3, 101, "B")), Lines{});
  EXPECT_EQ(shop.fired(queue(101)), Lines{});
  EXPECT_EQ(shop.fired(queue(1) + filled(2, 101, "B") + queue(2)),
            Lines{"rule orders.cpp:100 order 2 filled at 101.0 side B"});
}

TEST(TriggerWatch, ChecksMembersOtherThanArguments) {
  for (const char* where :
       {"level >= WARNING", "category == 'test' && line == 110", "file =~ 'queues'",
        "service == 'shop' && pid == 17 && length == 5", "thread == 4711 && length == 5",
        "thread == 'worker-2' && length > 0", "msg =~ 'length [0-9]$'"}) {
    Shop shop({record_rule(where)});
    shop.knows(kFilled).knows(kQueue);
    EXPECT_EQ(shop.fired(filled(1, 2, "B") + queue(5)), Lines{"rule queues.cpp:110 queue length 5"})
        << where;
  }
}

TEST(TriggerWatch, ChecksPropertiesOfSpansAndEvents) {
  const std::uint32_t flags = shm::kExtSubstream | shm::kExtActivity | shm::kExtDuration;
  const std::string parts =
      raw(std::uint64_t{3}) + std::string(16, '\x01') + raw(std::uint64_t{2'500});
  for (const char* where : {"duration_ns > 2000 && duration_ns < 3000", "substream == 3",
                            "activity == '01010101010101010101010101010101'"}) {
    Shop shop({record_rule(where)});
    shop.knows(kQueue);
    EXPECT_EQ(shop.fired(queue(4) + extended_record(11, 0, flags, parts, raw(std::uint64_t{5})) +
                         queue(6)),
              Lines{"rule queues.cpp:110 queue length 5"})
        << where;
  }
  EXPECT_NE(refusal(record_rule("seq > 5")).find("a trigger cannot use seq"), std::string::npos);
}

TEST(TriggerWatch, KnowsTheProcessorFromClockRecords) {
  Shop shop({record_rule("processor == 3")});
  shop.knows(kQueue);
  const auto clock = [](std::uint32_t processor) {
    return clock_record(10, 0, shm::processor_code(processor));
  };
  EXPECT_EQ(shop.fired(queue(1)), Lines{}) << "unknown";
  EXPECT_EQ(shop.fired(clock(2) + queue(2) + clock(3) + queue(3)),
            Lines{"rule queues.cpp:110 queue length 3"});
  EXPECT_EQ(shop.processor(), shm::processor_code(3));
  EXPECT_EQ(shop.fired(queue(4)), Lines{"rule queues.cpp:110 queue length 4"});
  EXPECT_EQ(shop.fired(clock(4) + queue(5)), Lines{});
}

TEST(TriggerWatch, WithoutAConditionEveryRecordOfTheStatementsCounts) {
  TriggerRule rule = record_rule("");
  rule.statements.level = "warning+";
  Shop shop({rule});
  shop.knows(kFilled);
  EXPECT_FALSE(shop.looks()) << "no record of a known statement can fire it";
  EXPECT_EQ(shop.fired(filled(1, 2, "B")), Lines{});
  shop.knows(kQueue);
  EXPECT_TRUE(shop.looks());
  EXPECT_EQ(shop.fired(filled(1, 2, "B") + queue(5)), Lines{"rule queues.cpp:110 queue length 5"});
}

TEST(TriggerWatch, ChecksNothingThatTheDictionaryDecides) {
  Shop shop({record_rule("level > WARNING || unknown == 1"), record_rule("side > 5", "misfit")});
  shop.knows(kFilled).knows(kQueue);
  EXPECT_FALSE(shop.looks());
}

TEST(TriggerWatch, KnowsNamesOfEnumerationsTextsAndLengthsOfArrays) {
  Shop shop({record_rule("state == 'halted'")});
  shop.knows_enum(3, -2, "halted");
  shop.knows({.id = 5,
              .fields = {{.type = shm::array_of(FieldType::u32), .name = "levels"},
                         {.type = shm::array_of(FieldType::string), .name = "names"},
                         {.type = FieldType::enumeration, .name = "state", .enum_table_id = 3}},
              .style = 0,
              .file = "m.cpp"});
  const std::string arrays = raw(2U) + raw(7U) + raw(8U) + raw(2U) + raw_text("a") + raw_text("bc");
  EXPECT_EQ(shop.fired(plain_record(5, 0, arrays + raw(std::int64_t{1}))), Lines{});
  EXPECT_EQ(shop.fired(plain_record(5, 0, arrays + raw(std::int64_t{-2}))).size(), 1U);
}

TEST(TriggerWatch, ChecksExtendedRecordsAndSkipsControlRecords) {
  Shop shop({record_rule("length == 5")});
  shop.knows(kQueue);
  const std::string ring =
      clock_record(1) + pad_record(24) + drop_record(1, 2, shm::LossCause::kRingFull) +
      extended_record(11, 1, shm::kExtDuration, raw(std::uint64_t{9}), raw(std::uint64_t{5}));
  EXPECT_EQ(shop.fired(ring).size(), 1U);
  EXPECT_EQ(shop.looked_bytes(), ring.size());
}

TEST(TriggerWatch, StopsAtInvalidAndUnfinishedRecords) {
  Shop shop({record_rule("length == 5")});
  shop.knows(kQueue);
  const std::string one = queue(5);
  EXPECT_EQ(shop.fired(one + one.substr(0, 12)).size(), 1U);
  EXPECT_EQ(shop.looked_bytes(), one.size());
  EXPECT_TRUE(shop.sound());
  EXPECT_EQ(shop.fired(one + plain_record(12, 0) + one).size(), 1U);
  EXPECT_EQ(shop.looked_bytes(), one.size());
  EXPECT_FALSE(shop.sound());
}

TEST(TriggerWatch, IsForTheServicesThatItsRulesName) {
  TriggerRule other = record_rule("length == 5");
  other.services = {"bank", "s?p"};
  EXPECT_FALSE(Shop({other}).knows(kQueue).looks());
  other.services = {"bank", "s*p"};
  EXPECT_TRUE(Shop({other}).knows(kQueue).looks());
  TriggerRule loss = other;
  loss.where.clear();
  loss.cause = TriggerRule::Cause::kLoss;
  EXPECT_FALSE(Shop({loss}).knows(kQueue).looks());
}

TEST(TriggerWatch, SeveralRulesMayFireOnOneRecord) {
  Shop shop({record_rule("length == 5", "a"), record_rule("length == 6", "b"),
             record_rule("level == WARNING", "c")});
  shop.knows(kQueue);
  EXPECT_EQ(shop.fired(queue(5)),
            (Lines{"a queues.cpp:110 queue length 5", "c queues.cpp:110 queue length 5"}));
}

TEST(TriggerWatch, HiddenValuesAreComparedButNotShown) {
  Shop shop({record_rule("side == 'secret' && msg =~ 'secret'")});
  shop.knows(kFilled).knows(kQueue);
  shop.hide("side");
  EXPECT_EQ(shop.fired(filled(1, 2, "known") + filled(1, 2, "secret") + queue(1)),
            Lines{"rule orders.cpp:100 order 1 filled at 2.0 side ***"});
  shop.hide("order.id");
  EXPECT_EQ(shop.fired(filled(7, 2, "secret")),
            Lines{"rule orders.cpp:100 order 0 filled at 2.0 side secret"});
}

TEST(TriggerWatch, LongMessagesAreCut) {
  Shop shop({record_rule("price == 1")});
  shop.knows(kFilled);
  const Lines lines = shop.fired(filled(1, 1, std::string(100'000, 'x')));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_LT(lines[0].size(), consumer::kMostTriggerMessage + 50);
}

TEST(TriggerQueue, ARuleFiresOncePerPauseAndOnceUntilItsActionsAreDone) {
  TriggerRule patient = record_rule("length == 5", "patient");
  patient.pause = std::chrono::hours(1);
  Shop shop({patient, record_rule("length == 5", "eager")});
  shop.knows(kQueue);
  EXPECT_EQ(shop.fired(queue(5) + queue(5) + queue(5)).size(), 2U);
  EXPECT_EQ(shop.fired(queue(5)), Lines{"eager queues.cpp:110 queue length 5"});
  const auto counts = shop.triggers().counts();
  EXPECT_EQ(counts.at("patient").fired, 1U);
  EXPECT_EQ(counts.at("patient").held_back, 3U);
  EXPECT_EQ(counts.at("eager").fired, 2U);
  EXPECT_EQ(counts.at("eager").held_back, 2U);
}

TEST(TriggerQueue, AReplacingRuleOfTheSameNameKeepsPauseAndCounts) {
  TriggerRule rule = record_rule("");
  rule.cause = TriggerRule::Cause::kServiceDeath;
  rule.pause = std::chrono::hours(1);
  consumer::TriggerQueue triggers;
  triggers.set_rules({rule});
  const auto fire = [&triggers] {
    triggers.fire_all(TriggerRule::Cause::kServiceDeath, {"segment", "shop", 1}, "gone");
    return triggers.next().has_value();
  };
  EXPECT_TRUE(fire());
  EXPECT_FALSE(fire());
  TriggerRule another = rule;
  another.name = "another";
  triggers.set_rules({another, rule});
  EXPECT_TRUE(fire()) << "the other one";
  EXPECT_FALSE(triggers.next().has_value());
  EXPECT_EQ(triggers.counts().at("rule").fired, 1U);
  EXPECT_GT(triggers.counts().at("rule").last_fired_unix_s, 0);
  triggers.set_rules({});
  EXPECT_FALSE(fire());
  EXPECT_TRUE(triggers.counts().empty());
}

TEST(TriggerQueue, PendingActionsOutliveTheirRule) {
  TriggerRule rule = record_rule("");
  rule.cause = TriggerRule::Cause::kLoss;
  consumer::TriggerQueue triggers;
  triggers.set_rules({rule});
  triggers.fire_all(TriggerRule::Cause::kLoss, {"segment", "shop", 1}, "7 records lost", 7);
  triggers.set_rules({});
  const auto firing = triggers.next();
  ASSERT_TRUE(firing);
  EXPECT_EQ(firing->rule->name, "rule");
}

TEST(TriggerQueue, LossesFireFromTheRulesNumberOn) {
  TriggerRule rule = record_rule("");
  rule.cause = TriggerRule::Cause::kLoss;
  rule.losses_at_least = 10;
  rule.services = {"shop"};
  consumer::TriggerQueue triggers;
  triggers.set_rules({rule});
  const auto fires = [&triggers](const std::string& service, std::uint64_t losses) {
    triggers.fire_all(TriggerRule::Cause::kLoss, {"segment", service, 1}, "lost", losses);
    return triggers.next().has_value();
  };
  EXPECT_FALSE(fires("shop", 9));
  EXPECT_FALSE(fires("bank", 10));
  EXPECT_TRUE(fires("shop", 10));
}

TEST(TriggerRule, ReportsInvalidRules) {
  EXPECT_EQ(refusal(record_rule("level >= ERROR")), "");
  EXPECT_EQ(refusal(record_rule("", "")), "the trigger has no name; set name");
  EXPECT_EQ(refusal(record_rule("a = 1")).rfind("at character 3 of 'a = 1'", 0), 0U);
  EXPECT_NE(refusal(record_rule("level")), "");
  TriggerRule rule = record_rule("");
  rule.statements.level = "loud";
  EXPECT_EQ(refusal(rule).rfind("level loud: invalid level", 0), 0U);
  rule = record_rule("a == 1");
  rule.cause = TriggerRule::Cause::kLoss;
  EXPECT_NE(refusal(rule), "");
  rule = record_rule("");
  rule.snapshot = false;
  EXPECT_EQ(refusal(rule), "the trigger has no action; set snapshot, hook or level");
  rule.hook = {""};
  EXPECT_NE(refusal(rule), "");
  rule.hook = {"true"};
  EXPECT_EQ(refusal(rule), "");
  rule.level = shm::Level::kDebug;
  EXPECT_NE(refusal(rule), "") << "for how long?";
  rule.level_for = std::chrono::seconds(5);
  EXPECT_EQ(refusal(rule), "");
  rule.level.reset();
  EXPECT_NE(refusal(rule), "");
  rule = record_rule("");
  rule.pause = std::chrono::milliseconds(-1);
  EXPECT_NE(refusal(rule), "");
  rule = record_rule("");
  rule.losses_at_least = 0;
  EXPECT_NE(refusal(rule), "");
}

}  // namespace
}  // namespace ringside::consumer_test
