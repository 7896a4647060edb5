// Conditions on records: their meaning, and the errors for invalid ones.
#include "trace-format/condition/where_condition.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tools/orders_trace.hpp"

namespace ringside::trace {
namespace {

using namespace tool::testing;

// Numbers (from 0) of the records of orders_trace() that match, or the error for the expression.
std::string matching(const std::string& text, std::string* misfit = nullptr) {
  std::string why;
  const auto expression = parse_where(text, &why);
  if (!expression) return why;
  why = WhereCondition::fault(*expression);
  if (!why.empty()) return why;
  const TemporaryDirectory directory;
  auto set = TraceSet::open(
      std::vector<std::string>{directory.write("a.ringtrace", orders_trace())}, nullptr);
  if (!set) return "cannot open";
  std::string found;
  Event event;
  for (int number = 0; set->next(event);) {
    if (event.kind == EventKind::kLoss) continue;
    const auto condition = WhereCondition::of_site(*expression, *event.record.site, &why);
    if (condition && condition->matches(event, "the message")) found += std::to_string(number);
    ++number;
  }
  if (misfit != nullptr) *misfit = why;
  return found;
}

TEST(Where, ComparesFieldsByName) {
  EXPECT_EQ(matching("price > 100"), "02");
  EXPECT_EQ(matching("side == \"B\""), "02");
  EXPECT_EQ(matching("side == 'S'"), "1");
  EXPECT_EQ(matching("price > 100 && side == \"B\" && `order.id` < 0"), "2");
  EXPECT_EQ(matching("order.id == -3"), "2");
  EXPECT_EQ(matching("id == 2"), "1") << "by its last part";
  EXPECT_EQ(matching("length == 7"), "3") << "queue.length()";
  EXPECT_EQ(matching("text =~ 'quoted'"), "6") << "text.c_str()";
  EXPECT_EQ(matching("nothing == 1"), "");
}

TEST(Where, ComparesNumbersByValueWhateverTheirTypes) {
  EXPECT_EQ(matching("low < high"), "8");
  EXPECT_EQ(matching("low < 0"), "8");
  EXPECT_EQ(matching("high > -1"), "8");
  EXPECT_EQ(matching("high == 18446744073709551615"), "8");
  EXPECT_EQ(matching("high < 18446744073709551615.0"), "8") << "which is read as 2^64";
  EXPECT_EQ(matching("high + 1 == 18446744073709551616.0"), "8");
  EXPECT_EQ(matching("low - 1 < low"), "8") << "nothing wraps around";
  EXPECT_EQ(matching("low == -0x8000000000000000"), "8");
  EXPECT_EQ(matching("length == 7.0"), "3");
}

TEST(Where, Computes) {
  EXPECT_EQ(matching("price * 2 - 1 == 199.5"), "0");
  EXPECT_EQ(matching("id / 2 == -1.5"), "2");
  EXPECT_EQ(matching("id & 1 == 1 && id > 0"), "0") << "& binds like *";
  EXPECT_EQ(matching("high & 0xF0 == 0xF0 && low & 1 == 0"), "8");
  EXPECT_EQ(matching("price & 1 == 0"), "") << "only integers have bits";
  EXPECT_EQ(matching("1 + 2 * 3 == 7"), "012345678");
  EXPECT_EQ(matching("10 - 2 - 3 == 5"), "012345678");
  EXPECT_EQ(matching("id / (id - 2) > -100"), "02") << "a division by 0 is nothing";
  EXPECT_EQ(matching("!(id / (id - 2) > 100)"), "02");
}

TEST(Where, JoinsConditions) {
  EXPECT_EQ(matching("id == 1 || id == 2"), "01");
  EXPECT_EQ(matching("id == 1 || id == 2 && side == 'B'"), "0") << "&& binds closer";
  EXPECT_EQ(matching("!(id == 1)"), "12");
  EXPECT_EQ(matching("! id == 1"), "12");
  EXPECT_EQ(matching("id in (1, -3, 7)"), "02");
  EXPECT_EQ(matching("side !~ '^[BX]$'"), "1");
  EXPECT_EQ(matching("true"), "012345678");
}

TEST(Where, KnowsWhereARecordComesFrom) {
  EXPECT_EQ(matching("level >= WARNING"), "345");
  EXPECT_EQ(matching("level == 'error'"), "5");
  EXPECT_EQ(matching("level in ('error', 'debug')"), "567");
  EXPECT_EQ(matching("thread == 'worker-2'"), "678");
  EXPECT_EQ(matching("thread == 1001"), "012345");
  EXPECT_EQ(matching("service == 'shop' && pid == 101 && line == 110"), "34");
  EXPECT_EQ(matching("file =~ 'orders' && category == 'orders' && function == 'f'"), "012");
  EXPECT_EQ(matching("msg == 'the message' && site == 'site' && line > 120"), "678");
}

TEST(Where, LeavesOutSitesWhoseTypesDoNotMatch) {
  std::string misfit;
  EXPECT_EQ(matching("side > 5", &misfit), "");
  EXPECT_EQ(misfit,
            "at character 6: cannot compare a text with a number; compare numbers with numbers and "
            "texts with quoted texts");
  EXPECT_EQ(matching("price && true", &misfit), "");
  EXPECT_NE(misfit.find("add a comparison"), std::string::npos) << misfit;
  EXPECT_EQ(matching("side + 1 == 2", &misfit), "");
  EXPECT_NE(misfit.find("cannot calculate with"), std::string::npos) << misfit;
  EXPECT_EQ(matching("price =~ 'x'", &misfit), "");
  EXPECT_NE(misfit.find("cannot match"), std::string::npos) << misfit;
}

TEST(Where, ReportsThePlaceOfAnErrorAndTheRemedy) {
  const auto says = [](const std::string& text, const std::string& position,
                       const std::string& remedy) {
    const std::string said = matching(text);
    EXPECT_NE(said.find(position), std::string::npos) << said;
    EXPECT_NE(said.find(remedy), std::string::npos) << said;
  };
  says("", "character 1 ", "write a condition");
  says("qty >", "character 6 ", "expected a value");
  says("qty = 5", "character 5 ", "write ==");
  says("(qty > 5", "character 9 ", "close it with )");
  says("qty > 5 side", "character 9 ", "join conditions");
  says("a < b < c", "character 7 ", "join conditions");
  says("side == \"B", "character 9 ", "close it with its quote");
  says("qty > 12x", "character 7 ", "invalid number");
  says("side =~ 5", "character 9 ", "put it in quotes");
  says("side =~ '('", "character 9 ", "invalid regular expression");
  says("level == 'loud'", "character 10 ", "use one of TRACE");
  says("qty in 5", "character 8 ", "write x in (1, 2)");
  says("`qty", "character 1 ", "close it with `");
  says("qty > #", "character 7 ", "invalid value");
  says("1 + 2", "a number", "add a comparison");
  says("1 == @colour", "character 6 ", "use one of unix_ns, level");
  says("level > 'x' + 1", "character 9:", "cannot calculate with");
  says(std::string(100'000, '(') + "1", "nested too deeply", "split");
  says(std::string(100'000, '!') + "true", "nested too deeply", "split");
  std::string sum = "1";
  for (int i = 0; i < 100'000; ++i) sum += "+1";
  says(sum + " > 1", "too many terms", "split");
}

}  // namespace
}  // namespace ringside::trace
