// A record that is too large stays a record, with as much of each field as fits.

#include "tools/interop/record_cut.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tools/interop/trace_builder.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool {
namespace {

using shm::FieldType;

TEST(RecordCut, CutsWhatDoesNotFitAndKeepsTheFieldsAfterIt) {
  ConversionReport report;
  TraceBuilder builder(report);
  const std::uint32_t stream = builder.add_stream(builder.add_process({}), {});
  SiteDefinition site;
  site.name = site.format = "many";
  site.fields = {{"text", FieldType::string},
                 {"texts", shm::array_of(FieldType::string)},
                 {"numbers", shm::array_of(FieldType::u32)},
                 {"n", FieldType::u64}};
  const std::uint32_t id = builder.add_site(site);
  std::string texts;
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t length = 300'000;
    texts.append(reinterpret_cast<const char*>(&length), sizeof length).append(length, 't');
  }
  const std::string numbers(400'000, 'n');
  builder.begin(stream, id, 5);
  builder.put_text(std::string(600'000, 'x'));
  builder.put_array(texts, 2, 0);
  builder.put_array(numbers, 100'000, 4);
  builder.put(std::uint64_t{7});
  builder.end();
  std::string error;
  const std::vector<std::string> paths = builder.finish(&error);
  trace::ReadError why;
  auto set = trace::TraceSet::open(paths, &why);
  ASSERT_TRUE(set) << why.text();
  trace::Event event;
  ASSERT_TRUE(set->next(event));
  EXPECT_TRUE(event.record.cut);
  ASSERT_EQ(event.record.args.size(), 4U);
  EXPECT_EQ(event.record.args[0].text.size(), 600'000U);
  EXPECT_EQ(event.record.args[1].count, 1U);
  EXPECT_EQ(event.record.args[2].count, 37'133U);  // the rest, at 4 bytes each
  EXPECT_EQ(event.record.args[3].u64, 7U);
  EXPECT_FALSE(set->next(event));
}

}  // namespace
}  // namespace ringside::tool
