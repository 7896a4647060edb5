// The example in trace-format/README.md agrees with the text around it.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "trace_file_builder.hpp"

namespace ringside::trace::testing {
namespace {

// The bytes of the first fenced block after the heading, up to the ';' of each line.
Bytes example_bytes() {
  std::ifstream readme(RINGSIDE_TRACE_FORMAT_README);
  std::string line;
  while (std::getline(readme, line) && line != "## Worked example") {
  }
  while (std::getline(readme, line) && line != "```") {
  }
  Bytes bytes;
  while (std::getline(readme, line) && line != "```") {
    std::istringstream hex(line.substr(0, line.find(';')));
    for (unsigned byte = 0; hex >> std::hex >> byte;) bytes.push_back(static_cast<std::byte>(byte));
  }
  return bytes;
}

TEST(WorkedExample, HoldsTheThreeRecordsThatTheTextNames) {
  const Bytes bytes = example_bytes();
  ASSERT_EQ(bytes.size(), 399U);
  const TemporaryDirectory directory;
  ReadError error;
  auto set =
      TraceSet::open(std::vector<std::string>{directory.write("x.ringtrace", bytes)}, &error);
  ASSERT_TRUE(set) << error.text();
  constexpr std::uint64_t kSecond = 1'700'000'000'000'000'000;
  const std::pair<std::uint64_t, std::int64_t> expected[] = {{2000, 5}, {2010, 6}, {2020, 6}};
  Event event;
  std::uint64_t sequence = 0;
  for (const auto& [tsc, n] : expected) {
    ASSERT_TRUE(set->next(event));
    EXPECT_EQ(event.kind, EventKind::kRecord);
    EXPECT_EQ(event.record.tsc, tsc);
    EXPECT_EQ(event.unix_ns, kSecond + tsc - 1000);
    EXPECT_EQ(event.record.stream_id, 1U);
    EXPECT_EQ(event.record.sequence, sequence++);
    ASSERT_EQ(event.record.args.size(), 1U);
    EXPECT_EQ(event.record.args[0].type, shm::FieldType::i32);
    EXPECT_EQ(event.record.args[0].i64, n);
  }
  const Site& site = *event.record.site;
  EXPECT_EQ(site.format, "n=%d");
  EXPECT_EQ(site.line, 12U);
  EXPECT_EQ(site.level, shm::Level::kInfo);
  EXPECT_EQ(site.fields[0].name, "n");
  EXPECT_EQ(event.stream->thread_id, 4712U);
  EXPECT_EQ(event.stream->thread_name, "t");
  EXPECT_EQ(event.segment->pid, 4711U);
  EXPECT_EQ(event.segment->uid, 1000U);
  EXPECT_EQ(event.segment->uuid[0], 0xA0);
  EXPECT_EQ(event.segment->service, "s");
  EXPECT_EQ(event.segment->writer_version, 0x000100U);
  EXPECT_FALSE(set->next(event));
  EXPECT_TRUE(set->report().notes.empty());
  EXPECT_EQ(set->report().sections_without_end, 1U);
}

}  // namespace
}  // namespace ringside::trace::testing
