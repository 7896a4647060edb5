// What contexts write into a ring: one record for each change, and only in front of another one.

#include "libagent/include/ringside/context.hpp"

#include <csignal>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/log.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/dictionary_entry.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

using Texts = std::vector<std::string>;

// The records of a ring: a context's as "{name=type value ...}", others by their format.
Texts told(std::uint32_t ring) {
  SegmentReader& segment = own_segment();
  Texts texts;
  for (const Record& record : segment.data(ring)) {
    const Site& site = segment.sites().at(record.code);
    if (site.kind != shm::SiteKind::kContext) {
      texts.push_back(site.format);
      continue;
    }
    std::string text = "{";
    for (std::size_t i = 0; i < site.fields.size(); ++i) {
      text += (i == 0 ? "" : " ") + site.fields[i].name + "=" + record.values[i];
    }
    texts.push_back(text + "}");
  }
  return texts;
}

PROCESS_TEST(ContextRecord, PrecedesARecordAndHoldsForTheNextOnes) {
  RS_INFO("before");
  {
    const Context context{{"user", 7}, {"tenant", "acme"}};
    EXPECT_EQ(context.result(), 1);
    RS_INFO("first");
    RS_INFO("second");
  }
  RS_INFO("after");
  RS_INFO("later");
  EXPECT_EQ(told(0), (Texts{"before", "{user=i64 7 tenant=string acme}", "first", "second", "{}",
                            "after", "later"}));
}

PROCESS_TEST(ContextRecord, IsNotMadeIfNoRecordFollows) {
  RS_INFO("before");
  for (int i = 0; i < 5; ++i) {
    const Context context{{"user", i}};
    const Context inner{{"step", "one"}};
  }
  RS_INFO("after");
  const std::vector<Record> records = own_segment().data(0);
  // The end of a context: the thread does not know that its ring states none.
  EXPECT_LE(records.size(), 3U);
  EXPECT_EQ(told(0).back(), "after");
}

PROCESS_TEST(ContextRecord, HasTheFieldsOfOuterContextsToo) {
  const Context outer{{"user", 7U}, {"step", "login"}};
  {
    const Context inner{{"step", "billing"}, {"ratio", 0.5}, {"paid", true}, {"mark", 'x'}};
    RS_INFO("inside");
  }
  RS_INFO("outside");
  EXPECT_EQ(told(0), (Texts{"{user=u64 7 step=string billing ratio=f64 0.5 paid=bool 1 "
                            "mark=char 120}",
                            "inside", "{user=u64 7 step=string login}", "outside"}));
}

PROCESS_TEST(ContextRecord, IsThatOfItsThread) {
  const Context context{{"user", 7}};
  RS_INFO("here");
  std::thread([] { RS_INFO("there"); }).join();
  const CapturedContext captured;
  std::thread([&captured] {
    const Context carried(captured);
    RS_INFO("carried");
  }).join();
  EXPECT_EQ(told(0), (Texts{"{user=i64 7}", "here"}));
  const Texts second = told(1);
  ASSERT_GE(second.size(), 1U);
  EXPECT_EQ(second[0], "there");
  const Texts third =
      own_segment().rings_used() > 2 ? told(2) : Texts(second.begin() + 1, second.end());
  EXPECT_EQ(third, (Texts{"{user=i64 7}", "carried"}));
}

PROCESS_TEST(ContextRecord, CutsLongTextsAtCharacters) {
  const std::string umlauts(126, 'a');
  const Context context{{"name", umlauts + "\xC3\xA4\xC3\xA4"}};
  RS_INFO("named");
  EXPECT_EQ(told(0)[0], "{name=string " + umlauts + "\xC3\xA4}");
}

PROCESS_TEST(ContextRecord, OfManyFieldsHasAtMostItsLargestSize) {
  std::vector<std::string> names;
  std::vector<rs_context_field> fields;
  const std::string text(128, 't');
  for (int i = 0; i < RS_MAX_CONTEXT_FIELDS; ++i) names.push_back("name" + std::to_string(i));
  for (const std::string& name : names) {
    rs_context_field field{name.data(), name.size(), {}};
    field.value.type = RS_VALUE_TEXT;
    field.value.data = text.data();
    field.value.bytes = 60;
    fields.push_back(field);
  }
  rs_context_mark mark{};
  ASSERT_EQ(rs_context_enter(fields.data(), RS_MAX_CONTEXT_FIELDS, &mark), 1);
  RS_INFO("in many");
  const std::vector<Record> records = own_segment().data(0);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].bytes, shm::kHeadBytes + shm::kMaxOwnContextBytes);
  EXPECT_EQ(records[0].values[0], "string " + text.substr(0, 60));
  EXPECT_EQ(records[0].values[15], "string ");
  rs_context_leave(&mark);
}

PROCESS_TEST(ContextRecord, IsRefusedWithoutEffect) {
  const Context outer{{"user", 7}};
  const auto result = [](const char* name, std::uint64_t type) {
    rs_context_field field{name, name == nullptr ? 3 : std::string_view(name).size(), {}};
    field.value.type = type;
    rs_context_mark mark{};
    const std::int32_t refusal = rs_context_enter(&field, 1, &mark);
    RS_INFO("refused");
    rs_context_leave(&mark);
    return refusal;
  };
  EXPECT_EQ(result("", RS_VALUE_I64), RS_REFUSED_NAMES);
  EXPECT_EQ(result("a,b", RS_VALUE_I64), RS_REFUSED_NAMES);
  EXPECT_EQ(result("a\nb", RS_VALUE_I64), RS_REFUSED_NAMES);
  EXPECT_EQ(result(nullptr, RS_VALUE_I64), RS_REFUSED_POINTER);
  EXPECT_EQ(result("a", 99), RS_REFUSED_TYPES);
  EXPECT_EQ(result(std::string(65, 'n').c_str(), RS_VALUE_I64), RS_REFUSED_NAMES);
  const Context full{{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}, {"f", 1}, {"g", 1}, {"h", 1},
                     {"i", 1}, {"j", 1}, {"k", 1}, {"l", 1}, {"m", 1}, {"n", 1}, {"o", 1}};
  EXPECT_EQ(full.result(), 1);
  const Context one_more{{"p", 1}};
  EXPECT_EQ(one_more.result(), RS_REFUSED_COUNT);
  const Context same_name{{"a", 2}};
  EXPECT_EQ(same_name.result(), 1);
  RS_INFO("last");
  const Texts texts = told(0);
  EXPECT_EQ(texts[0], "{user=i64 7}");
  EXPECT_EQ(std::vector(texts.begin() + 1, texts.begin() + 7), Texts(6, "refused"));
  EXPECT_EQ(texts[texts.size() - 2].substr(0, 22), "{user=i64 7 a=i64 2 b=");
}

PROCESS_TEST(ContextRecord, IsThatOfTheInterruptedThreadInASignalHandler) {
  const Context context{{"user", 7}};
  struct sigaction action {};
  action.sa_handler = [](int) { RS_INFO("handled"); };
  ASSERT_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
  ASSERT_EQ(raise(SIGUSR1), 0);
  RS_INFO("outside");
  EXPECT_EQ(told(0), (Texts{"{user=i64 7}", "handled", "outside"}));
}

PROCESS_TEST(ContextRecord, IsNotMadeWhileTracingIsOff) {
  setenv("RINGSIDE_DISABLE", "1", 1);
  const Context context{{"user", 7}};
  EXPECT_EQ(context.result(), 1);
  RS_INFO("nothing");
  EXPECT_EQ(std::string(status().segment_path), "");
}

// For a consumer that takes over from a dead one there.
PROCESS_TEST(ContextRecord, HasAPlaceInTheSegmentThatReplacesARemovedOne) {
  const Context context{{"user", 7}};
  RS_INFO("first");
  EXPECT_GT(own_segment().control().kept_contexts.rings.load(), 0U);
  ASSERT_EQ(unlink(status().segment_path.c_str()), 0);
  // The status replaces it.
  SegmentReader next(status().segment_path);
  RS_INFO("second");
  EXPECT_GT(next.control().kept_contexts.rings.load(), 0U);
}

}  // namespace
}  // namespace ringside::test
