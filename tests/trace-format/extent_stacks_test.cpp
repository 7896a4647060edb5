// Stacks in an extent: each distinct one is stored once, and the records refer to it.
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "decoded_record.hpp"
#include "trace_file_builder.hpp"

namespace ringside::trace::testing {
namespace {

using shm::FieldType;

constexpr std::uint32_t kWithStack = 1;
constexpr std::uint32_t kWithout = 2;
constexpr std::uint32_t kRecords = 100'000;
constexpr std::uint32_t kFrames = 30;
constexpr std::size_t kBatchBytes = 1U << 20;  // a ring of the default size

std::string stack(std::uint32_t number) {
  std::string bytes = raw(kFrames);
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    // The outer frames are those of all stacks.
    const std::uint64_t differs = i < 5 ? number * 0x1234U : 0;
    bytes += raw(0x55D0'1234'5000U + i * 0x3C7U + differs);
  }
  return bytes;
}

class ExtentStacks : public ::testing::Test {
 protected:
  void SetUp() override {
    const TestField stack_field{.type = shm::array_of(FieldType::pointer), .name = "stack"};
    add_site(sites_, {.id = kWithStack, .fields = {{.type = FieldType::u32}, stack_field}});
    add_site(sites_, {.id = kWithout, .fields = {{.type = FieldType::u32}}});
  }

  // The bytes of kRecords records in extents, each of one batch. Checks the decoded stacks.
  std::size_t encoded_bytes(std::uint32_t site, const std::vector<std::string>& stacks) {
    StreamCursor cursor{.stream_id = 1, .last_tsc = 100};
    ExtentEncoder encoder(sites_);
    Bytes out(4 * kBatchBytes);
    std::size_t total = 0;
    std::string batch;
    std::uint64_t state = 1;
    const auto flush = [&] {
      const EncodeResult done = encoder.encode(as_bytes(batch), cursor, 0, 0, out);
      EXPECT_EQ(done.stop, EncodeStop::kInputEnd);
      total += done.output_bytes;
      batch.clear();
    };
    for (std::uint32_t i = 0; i < kRecords; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      std::string arguments = raw(i);
      if (!stacks.empty()) arguments += stacks[(state >> 33) % stacks.size()];
      batch += plain_record(site, 100 + 50 * std::uint64_t{i}, arguments);
      if (batch.size() >= kBatchBytes) flush();
    }
    flush();
    return total;
  }

  SiteTable sites_;
};

TEST_F(ExtentStacks, RecordsWithOneOfThreeStacksTakeOneByteMore) {
  const std::size_t without = encoded_bytes(kWithout, {});
  const std::size_t with = encoded_bytes(kWithStack, {stack(0), stack(1), stack(2)});
  const double more = static_cast<double>(with - without) / kRecords;
  RecordProperty("bytes_per_record_more", std::to_string(more));
  EXPECT_LE(more, 1.0);
}

TEST_F(ExtentStacks, RecordsWithTheSameStackTakeNoByteMore) {
  const std::size_t without = encoded_bytes(kWithout, {});
  const std::size_t with = encoded_bytes(kWithStack, {stack(0)});
  const double more = static_cast<double>(with - without) / kRecords;
  RecordProperty("bytes_per_record_more", std::to_string(more));
  EXPECT_LE(more, 0.1);
}

TEST_F(ExtentStacks, StacksAreDecodedAsTheyWere) {
  std::string ring;
  std::vector<std::string> expected;
  for (std::uint32_t i = 0; i < 50; ++i) {
    expected.push_back(stack(i % 3));
    ring += plain_record(kWithStack, 100 + i, raw(i) + expected.back());
  }
  const RoundTrip trip = round_trip(sites_, ring, {.last_tsc = 100});
  ASSERT_EQ(trip.records.size(), expected.size());
  ASSERT_EQ(trip.extents.size(), 1U);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(trip.records[i].args, raw(static_cast<std::uint32_t>(i)) + expected[i]) << i;
  }
}

}  // namespace
}  // namespace ringside::trace::testing
