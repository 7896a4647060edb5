// Whatever records a ring holds, and however its bytes are divided into inputs and outputs: the
// decoded records are the recorded ones.
#include <gtest/gtest.h>

#include "random_records.hpp"

namespace ringside::trace::testing {
namespace {

class RandomExtents : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    const std::uint64_t count = 1 + random_.below(40);
    for (std::uint64_t i = 0; i < count; ++i) {
      site_list_.push_back(random_.site(static_cast<std::uint32_t>(1 + i * 7)));
      add_site(sites_, site_list_.back());
    }
    std::uint64_t tsc = start_;
    for (int i = 0; i < 1500; ++i) {
      tsc += random_.below(1 + random_.below(100000));
      if (random_.below(50) == 0) tsc -= random_.below(5000);
      if (random_.below(100) == 0) tsc += std::uint64_t{1} << random_.below(42);
      if (random_.below(40) == 0) {
        tsc += random_.below(20) == 0 ? std::uint64_t{1} << 50 : 0;
        ring_ += clock_record(tsc);
      }
      if (random_.below(100) == 0) ring_ += pad_record(8 + random_.below(100));
      const std::size_t before = ring_.size();
      random_.record(site_list_[random_.below(random_.below(2) == 0 ? 1 : count)], tsc, ring_,
                     expected_);
      longest_ = std::max(longest_, ring_.size() - before);
    }
  }

  void expect_same(const std::vector<Decoded>& got) {
    ASSERT_EQ(got.size(), expected_.size());
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], expected_[i]) << "record " << i;
  }

  RandomRecords random_{GetParam()};
  std::size_t longest_ = 0;
  std::uint64_t start_ = std::uint64_t{3} << 43;
  SiteTable sites_;
  std::vector<TestSite> site_list_;
  std::string ring_;
  std::vector<Decoded> expected_;
};

TEST_P(RandomExtents, ComeBackFromOneExtent) {
  const RoundTrip trip = round_trip(sites_, ring_, {.last_tsc = start_}, 64 << 20);
  EXPECT_EQ(trip.last.stop, EncodeStop::kInputEnd);
  EXPECT_EQ(trip.cursor.next_sequence, expected_.size());
  expect_same(trip.records);
}

TEST_P(RandomExtents, ComeBackFromSmallOutputs) {
  const std::size_t out = 2 * longest_ + 4096;
  const RoundTrip trip = round_trip(sites_, ring_, {.last_tsc = start_}, out);
  EXPECT_EQ(trip.last.stop, EncodeStop::kInputEnd);
  EXPECT_EQ(trip.extents.size() > 1, trip.output_bytes > out);
  expect_same(trip.records);
}

TEST_P(RandomExtents, ComeBackFromInputsCutAnywhere) {
  ExtentEncoder encoder(sites_);
  StreamCursor cursor{.last_tsc = start_};
  std::vector<Decoded> got;
  std::string_view rest = ring_;
  std::size_t extra = 0;
  while (!rest.empty()) {
    const std::size_t length = std::min(rest.size(), 1 + random_.below(5000) + extra);
    const Bytes input(as_bytes(rest).begin(), as_bytes(rest.substr(0, length)).end());
    Bytes out(2 * length + 4096);
    const EncodeResult r = encoder.encode(input, cursor, 0, 0, out);
    ASSERT_LE(r.consumed_bytes, length);
    if (r.output_bytes != 0) decode_block(std::span(out).first(r.output_bytes), sites_, got);
    ASSERT_NE(r.stop, EncodeStop::kCorrupt) << r.corrupt_reason;
    ASSERT_TRUE(r.stop == EncodeStop::kInputEnd || r.stop == EncodeStop::kIncomplete ||
                r.consumed_bytes != 0);
    extra = r.consumed_bytes == 0 ? 2 * extra + 1000 : 0;
    rest.remove_prefix(r.consumed_bytes);
  }
  expect_same(got);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomExtents, ::testing::Range<std::uint64_t>(1, 41));

}  // namespace
}  // namespace ringside::trace::testing
