// A search for a literal, and the last lines, give the same lines as reading everything.
#include <algorithm>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/trace-format/section_index_bytes.hpp"
#include "tools/query/event_filter.hpp"
#include "tools/query/record_filter.hpp"
#include "tools/text/trace_text.hpp"

namespace ringside::tool {
namespace {

using namespace trace::testing;
using shm::FieldType;

const std::vector<std::string> kWords = {"alpha", "beta", "order", "alp", "needle", "", "a 1"};

// Many extents of two threads, most of them with only a few statements and words.
Bytes searched_trace() {
  const std::vector<TestSite> sites = {
      {.id = 50,
       .fields = {{.type = FieldType::string}, {.type = FieldType::i32}},
       .format = "user %s has %d"},
      {.id = 51, .format = "nothing to add"},
      {.id = 52,
       .fields = {{.type = FieldType::u32}, {.type = FieldType::f64}},
       .format = "order %u took %.2f"},
      {.id = 53,
       .fields = {{.type = FieldType::string, .constant = true, .value = "needle"},
                  {.type = FieldType::u64}},
       .format = "%s %lu"},
      {.id = 54, .fields = {{.type = FieldType::string}}, .format = "{:>9}", .style = 2}};
  TraceFileBuilder file;
  file.begin();
  trace::SiteTable table;
  Bytes entries;
  for (const TestSite& site : sites) {
    add_site(table, site);
    append(entries, site_entry(site));
  }
  Bytes block(entries.size() + 4096);
  block.resize(trace::write_dictionary_block(entries, block));
  append(file.bytes, block);
  std::mt19937_64 random(11);
  trace::ExtentEncoder encoder(table);
  trace::StreamCursor cursors[2];
  std::uint64_t now = 1'763'674'516'000'000'000;
  for (int extent = 0; extent < 200; ++extent) {
    trace::StreamCursor& cursor = cursors[extent % 2];
    cursor.stream_id = 1U + static_cast<unsigned>(extent % 2);
    const std::uint64_t kinds = 1 + random() % 5;
    std::string ring;
    for (int i = 0; i < 40; ++i) {
      now += 1000;
      const auto site = static_cast<std::uint32_t>(50 + random() % kinds);
      std::string args;
      if (site == 50 || site == 54)
        args += raw_text(kWords[random() % static_cast<unsigned>(extent % 7 + 1)]);
      if (site == 50) args += raw(static_cast<std::int32_t>(random() % 300));
      if (site == 52) {
        args += raw(static_cast<std::uint32_t>(random() % 3000)) + raw(static_cast<double>(i) / 7);
      }
      if (site == 53) args += raw(random() % 100);
      ring += plain_record(site, now, args);
    }
    Bytes out(2 * ring.size() + 4096);
    out.resize(encoder.encode(as_bytes(ring), cursor, 0, 0, out).output_bytes);
    append(file.bytes, out);
    if (extent % 4 == 3) file.sequence_point(now);
  }
  return with_index(file.bytes);
}

struct Search {
  std::string text;
  trace::ReadReport report;
};

class SearchedText : public ::testing::Test {
 protected:
  trace::TraceSet open(trace::ReadOptions reading) const {
    std::vector<std::unique_ptr<trace::TraceFile>> files;
    files.push_back(trace::TraceFile::in_memory("trace", bytes_));
    return *trace::TraceSet::open(std::move(files), std::move(reading), nullptr);
  }

  std::unique_ptr<EventFilter> filter_of(const std::string& expression,
                                         const std::string& where = {}) const {
    FilterOptions options;
    options.grep = expression;
    options.where = where;
    std::string why;
    auto filter = EventFilter::make(options, 0, true, &why);
    EXPECT_TRUE(filter) << why;
    return filter;
  }

  Search find(const std::string& expression, const std::string& where = {}) const {
    const auto filter = filter_of(expression, where);
    RecordFilter records(*filter);
    trace::TraceSet set = open(filter->read_options());
    Search search;
    write_trace_text(
        set,
        {.utc = true, .wanted = [&](const trace::Event& event) { return records.wanted(event); }},
        [&](std::string_view piece) {
          search.text += piece;
          return true;
        });
    search.report = set.report();
    return search;
  }

  // A group is an operator: each message is formatted and matched.
  static std::string as_expression(const std::string& literal) {
    std::string expression = "(?:";
    for (const char character : literal) {
      if (std::string_view(".*+?()[]{}|^$\\").find(character) != std::string_view::npos)
        expression += '\\';
      expression += character;
    }
    return expression + ")";
  }

  std::vector<std::string> last_lines(std::size_t count, const std::string& grep,
                                      std::uint64_t end_bytes, bool* decided) const {
    const auto filter = filter_of(grep);
    RecordFilter records(*filter);
    trace::ReadOptions reading = filter->read_options();
    reading.end_bytes = end_bytes;
    trace::TraceSet set = open(std::move(reading));
    TraceTextOptions options{.utc = true, .last = count};
    options.wanted = [&](const trace::Event& event) { return records.wanted(event); };
    const auto text = last_lines_of_end(set, options);
    *decided = text.has_value();
    return lines_of(text.value_or(""));
  }

  static std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  const Bytes bytes_ = searched_trace();
};

TEST_F(SearchedText, OfALiteralIsThatOfTheSameExpression) {
  for (const char* const literal :
       {"alpha", "needle", "order 1", "order", "has", "add", "17", "zzz", "user alp", "a 1 has 2",
        "dle 3", "    b", "alpha has", "x", "nothing"}) {
    EXPECT_EQ(find(literal).text, find(as_expression(literal)).text) << literal;
  }
  EXPECT_FALSE(find("needle").text.empty());
  EXPECT_EQ(find("\\.5").text, find("(?:\\.5)").text);
  EXPECT_FALSE(find("\\.5").text.empty());
}

TEST_F(SearchedText, AndAConditionMustBothBeMet) {
  for (const char* const where : {"msg =~ \"2\"", "msg != \"user  has 1\""}) {
    for (const char* const literal : {"alpha", "has", "user", "3"}) {
      EXPECT_EQ(find(literal, where).text, find(as_expression(literal), where).text) << where;
    }
  }
}

TEST_F(SearchedText, LeavesExtentsUnreadThatCannotContainIt) {
  // Left are those with statements 53 and 54: a constant text, and a padded one.
  EXPECT_EQ(find("(?:zzz)").report.extents_decoded, 200U);
  EXPECT_LT(find("zzz").report.extents_decoded, 100U);
  EXPECT_LT(find("took").report.extents_decoded, find("order").report.extents_decoded);
  const std::uint64_t with_text = find("beta").report.extents_decoded;
  EXPECT_GT(with_text, 0U);
  EXPECT_LT(with_text, find("(?:beta)").report.extents_decoded);
}

TEST_F(SearchedText, LastLinesAreThoseOfTheWholeTrace) {
  for (const char* const grep : {"(?:)", "alpha", "order 1", "needle", "zzz"}) {
    const std::vector<std::string> all = lines_of(find(grep).text);
    for (const std::size_t count : {0U, 1U, 5U, 300U, 100'000U}) {
      const std::size_t most = std::min(count, all.size());
      const std::vector<std::string> expected(all.end() - static_cast<std::ptrdiff_t>(most),
                                              all.end());
      std::size_t decisions = 0;
      for (const std::uint64_t end_bytes : {1U, 2000U, 20'000U, 1'000'000U}) {
        bool decided = false;
        const auto lines = last_lines(count, grep, end_bytes, &decided);
        if (!decided) continue;
        ++decisions;
        EXPECT_EQ(lines, expected) << grep << ", " << count << " lines, " << end_bytes << " bytes";
      }
      EXPECT_GT(decisions, 0U);
      if (count <= 5 && all.size() == 8000) {
        EXPECT_GE(decisions, 3U) << "a small part of the end is enough";
      }
    }
  }
}

}  // namespace
}  // namespace ringside::tool
