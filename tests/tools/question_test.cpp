// The meaning of the arguments of ringcat agg and ringcat hist, and the form of their answers.
#include "tools/query/question.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "tools/query/histogram_text.hpp"
#include "tools/text/result_table.hpp"

namespace ringside::tool {
namespace {

using trace::query::Histogram;

TEST(NameList, IsSplitAtCommasOutsideOfExpressions) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(split_names("qty"), (Names{"qty"}));
  EXPECT_EQ(split_names(" a , b.c,"), (Names{"a", "b.c"}));
  EXPECT_EQ(split_names("f(a, b),c[1, 2],g(\",)\")"), (Names{"f(a, b)", "c[1, 2]", "g(\",)\")"}));
  EXPECT_EQ(split_names("x),y"), (Names{"x)", "y"}));
  EXPECT_EQ(split_names(" ,, "), Names{});
}

TEST(ResultTable, AlignsNumbersToTheRightAndTextsToTheLeft) {
  ResultTable table;
  table.add_fact("site", Cell::of_text("a\nb"));
  table.set_columns({"symbol", "count"});
  table.add_row({Cell::of_text("ä"), Cell::of_count(12345678)});
  table.add_row({Cell::of_text("\x1b[2J\xc2\x9b\xff"), Cell::of_count(1)});
  EXPECT_EQ(table.text(TableFormat::kText, false),
            "site: a\\nb\n"
            "symbol                  count\n"
            "ä                    12345678\n"
            "\\x1b[2J\\xc2\\x9b\\xff         1\n");
}

TEST(ResultTable, WritesJsonThatEveryReaderTakes) {
  ResultTable table;
  table.add_fact("site", Cell::of_text("one"));
  table.add_fact("of", Cell::of_text("qty"));
  table.set_columns({"a \"name\"", "number"});
  table.add_row({Cell::of_text("\xff\x01\\"), Cell::of_number(0.1, TableFormat::kJson)});
  table.add_row({Cell::of_text("\xed\xa0\x80"),
                 Cell::of_number(std::numeric_limits<double>::infinity(), TableFormat::kJson)});
  EXPECT_EQ(table.text(TableFormat::kJson, false),
            "{\"site\":[\"one\"],\"of\":\"qty\",\"rows\":["
            "{\"a \\\"name\\\"\":\"\uFFFD\\u0001\\\\\",\"number\":0.1},"
            "{\"a \\\"name\\\"\":\"\uFFFD\uFFFD\uFFFD\",\"number\":\"inf\"}]}\n");
}

TEST(ResultTable, QuotesInCsvWhatNeedsIt) {
  ResultTable table;
  table.add_fact("site", Cell::of_text("not in CSV"));
  table.set_columns({"f(a, b)", "count"});
  table.add_row({Cell::of_text("say \"x\""), Cell::of_count(2)});
  EXPECT_EQ(table.text(TableFormat::kCsv, false), "\"f(a, b)\",count\n\"say \"\"x\"\"\",2\n");
}

TEST(ResultTable, LeavesBytesInCsvUnlessATerminalWouldObeyThem) {
  ResultTable table;
  table.set_columns({"\x1b]0;", "count"});
  table.add_row({Cell::of_text("\x1b[2J\n"), Cell::of_count(2)});
  EXPECT_EQ(table.text(TableFormat::kCsv, false), "\x1b]0;,count\n\"\x1b[2J\n\",2\n");
  EXPECT_EQ(table.text(TableFormat::kCsv, true), "\\x1b]0;,count\n\\x1b[2J\\n,2\n");
}

TEST(Number, IsShortInTextAndExactElsewhere) {
  EXPECT_EQ(Cell::of_number(1.0 / 3, TableFormat::kText).text, "0.333333");
  EXPECT_EQ(Cell::of_number(1.0 / 3, TableFormat::kCsv).text, "0.3333333333333333");
  EXPECT_EQ(Cell::of_number(123456789, TableFormat::kText).text, "123456789");
  EXPECT_EQ(Cell::of_number(-0.0, TableFormat::kJson).text, "0");
}

TEST(HistogramText, DrawsBarsAsLongAsTheCounts) {
  Histogram histogram(0, 4, 4);
  for (const double value : {0.5, 0.6, 0.7, 0.8, 1.5, 1.6, 4.0}) histogram.add(value);
  EXPECT_EQ(histogram_text(histogram, {.columns = 29, .ascii = true}),
            "0 .. 1 4 ####################\n"
            "1 .. 2 2 ##########\n"
            "2 .. 3 0\n"
            "3 .. 4 1 #####\n");
  EXPECT_EQ(histogram_text(histogram, {.columns = 19, .ascii = false}),
            "0 .. 1 4 ██████████\n"
            "1 .. 2 2 █████\n"
            "2 .. 3 0\n"
            "3 .. 4 1 ██▌\n");
}

TEST(HistogramText, MarksEveryCountThatIsNotZeroAndKeepsRoomForABar) {
  Histogram histogram(0, 2, 2);
  for (int i = 0; i < 10000; ++i) histogram.add(0.5);
  histogram.add(1.5);
  EXPECT_EQ(histogram_text(histogram, {.columns = 1, .ascii = true}),
            "0 .. 1 10000 ##########\n"
            "1 .. 2     1 #\n");
}

}  // namespace
}  // namespace ringside::tool
