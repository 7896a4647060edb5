#include "tools/query/statement_counts.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/trace-format/trace_file_builder.hpp"

namespace ringside::tool {
namespace {

using namespace trace::testing;
using shm::FieldType;

// A file of one process, whose dictionary has this statement.
Bytes file_with(std::uint8_t segment, const TestSite& site) {
  TraceFileBuilder file;
  file.begin(segment, "shop");
  const Bytes entry = site_entry(site);
  Bytes block(entry.size() + 4096);
  block.resize(trace::write_dictionary_block(entry, block));
  append(file.bytes, block);
  file.end();
  return file.bytes;
}

StatementCounts listed(const std::vector<TestSite>& sites) {
  const TemporaryDirectory directory;
  StatementCounts counts;
  // Without the statement that the builder adds to each file.
  trace::query::Scope scope;
  scope.reading.site = [](const trace::Site& site, const trace::SegmentInfo&) {
    return site.id != 1;
  };
  for (std::size_t i = 0; i < sites.size(); ++i) {
    trace::ReadError error;
    const std::string path = directory.write(std::to_string(i) + ".ringtrace",
                                             file_with(static_cast<std::uint8_t>(i + 1), sites[i]));
    EXPECT_TRUE(counts.add(path, scope, &error)) << error.text();
  }
  return counts;
}

TEST(StatementCounts, AHeaderIncludedByDifferentPathsIsOneFile) {
  const StatementCounts counts = listed(
      {{.id = 3, .file = "src/../include/queue.hpp"}, {.id = 3, .file = "include/queue.hpp"}});
  ASSERT_EQ(counts.statements().size(), 1U);
  EXPECT_EQ(counts.statements().begin()->first.file, "include/queue.hpp");
  EXPECT_EQ(counts.statements().begin()->second.ids(), std::set<std::uint32_t>{3});
}

TEST(StatementCounts, DifferentTextsLevelsAndPlacesAreDifferentStatements) {
  const StatementCounts counts = listed({{.id = 3},
                                         {.id = 4},
                                         {.id = 3, .format = "other text"},
                                         {.id = 3, .level = shm::Level::kError},
                                         {.id = 3, .category = "other"},
                                         {.id = 3, .file = "other.cpp"}});
  EXPECT_EQ(counts.statements().size(), 6U);
}

TEST(StatementCounts, VariantsAreDescribedByTheirDifference) {
  const StatementCounts counts = listed(
      {{.id = 3, .fields = {{.type = FieldType::i32, .name = "value"}}},
       {.id = 3, .fields = {{.type = FieldType::f64, .name = "value"}}},
       {.id = 3,
        .fields = {{.type = FieldType::i32, .name = "x"}, {.type = FieldType::i32, .name = "y"}}},
       {.id = 3}});
  ASSERT_EQ(counts.statements().size(), 1U);
  const CountedStatement& statement = counts.statements().begin()->second;
  EXPECT_EQ(statement.variants.size(), 4U);
  EXPECT_EQ(statement.fields_text(), "none or value f64|i32 or x i32, y i32");
  EXPECT_EQ(listed({{.id = 3}}).statements().begin()->second.fields_text(), "");
}

}  // namespace
}  // namespace ringside::tool
