// The kernels for runs of records of one site write the same bytes as the portable loop.
#include "trace-format/codec/record_run.hpp"

#include <gtest/gtest.h>

#include "random_records.hpp"

namespace ringside::trace::testing {
namespace {

class RecordRuns : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    if (run_kernels() == nullptr) GTEST_SKIP() << "this processor has no kernels for runs";
    for (std::uint32_t id = 1; id <= 12; ++id) {
      TestSite site{.id = id * 3};
      if (random_.below(4) == 0) {
        site.fields.push_back({.type = shm::FieldType::string});
      } else {
        const std::uint64_t count = random_.below(8);
        for (std::uint64_t i = 0; i < count; ++i) site.fields.push_back({.type = number_type()});
      }
      add_site(sites_, site);
      site_list_.push_back(site);
    }
    std::uint64_t tsc = start_;
    while (ring_.size() < 60000) add_run(tsc);
  }

  shm::FieldType number_type() {
    constexpr shm::FieldType kTypes[] = {
        shm::FieldType::boolean, shm::FieldType::i8,         shm::FieldType::i16,
        shm::FieldType::i32,     shm::FieldType::i64,        shm::FieldType::u8,
        shm::FieldType::u16,     shm::FieldType::u32,        shm::FieldType::u64,
        shm::FieldType::f32,     shm::FieldType::f64,        shm::FieldType::f64,
        shm::FieldType::pointer, shm::FieldType::enumeration};
    return kTypes[random_.below(std::size(kTypes))];
  }

  std::string number(shm::FieldType type) {
    if (type == shm::FieldType::f64 && random_.below(2) == 0) {
      return raw(static_cast<double>(random_.below(300)) / 7);  // a value that recurs
    }
    return random_.number(shm::fixed_size(type));
  }

  std::string text() {
    std::string text(random_.below(4) == 0 ? random_.below(300) : random_.below(70), '\0');
    for (char& c : text) c = static_cast<char>('a' + random_.below(26));
    if (!texts_.empty() && random_.below(2) == 0) return texts_[random_.below(texts_.size())];
    if (texts_.size() < 40) texts_.push_back(text);
    return text;
  }

  void add_run(std::uint64_t& tsc) {
    const TestSite& site = site_list_[random_.below(site_list_.size())];
    const std::uint64_t length = random_.below(random_.below(2) == 0 ? 4 : 200);
    const std::uint64_t steadiness = random_.below(4);  // how steady the values are
    std::vector<std::string> values(site.fields.size());
    for (std::uint64_t i = 0; i < length; ++i) {
      tsc += random_.below(1 + random_.below(2000));
      if (random_.below(300) == 0) tsc -= random_.below(5000);
      if (random_.below(200) == 0) tsc += std::uint64_t{1} << random_.below(40);
      if (random_.below(400) == 0) ring_ += clock_record(tsc);
      std::string arguments;
      for (std::size_t f = 0; f < values.size(); ++f) {
        const shm::FieldType type = site.fields[f].type;
        if (i == 0 || (steadiness < 3 && random_.below(1 + steadiness) == 0)) {
          values[f] = type == shm::FieldType::string ? raw_text(text()) : number(type);
        }
        arguments += values[f];
      }
      ring_ += plain_record(site.id, tsc, arguments);
      expected_.push_back({tsc, expected_.size(), site.id, 0, {}, arguments});
    }
  }

  RandomRecords random_{GetParam()};
  std::uint64_t start_ = std::uint64_t{5} << 42;
  SiteTable sites_;
  std::vector<TestSite> site_list_;
  std::vector<std::string> texts_;
  std::string ring_;
  std::vector<Decoded> expected_;
};

TEST_P(RecordRuns, AreCodedAlikeByAllKernels) {
  ExtentEncoder best(sites_);
  ExtentEncoder portable(sites_, EncoderKernels::kPortable);
  StreamCursor cursor{.last_tsc = start_};
  std::string_view rest = ring_;
  while (!rest.empty()) {
    const std::size_t length = std::min(rest.size(), 4000 + random_.below(20000));
    // Exactly sized allocations, so that a sanitizer reports every byte that is read past the end.
    const Bytes input(as_bytes(rest).begin(), as_bytes(rest.substr(0, length)).end());
    Bytes out(2 * length + 4096);
    Bytes same(out.size());
    StreamCursor other = cursor;
    const EncodeResult r = best.encode(input, cursor, 0, 0, out);
    const EncodeResult s = portable.encode(input, other, 0, 0, same);
    ASSERT_EQ(r.consumed_bytes, s.consumed_bytes);
    ASSERT_EQ(r.records, s.records);
    ASSERT_EQ(r.stop, s.stop);
    ASSERT_EQ(cursor.last_tsc, other.last_tsc);
    ASSERT_EQ(cursor.next_sequence, other.next_sequence);
    ASSERT_NE(r.consumed_bytes, 0U);
    out.resize(r.output_bytes);
    same.resize(s.output_bytes);
    ASSERT_EQ(out, same);
    rest.remove_prefix(r.consumed_bytes);
  }
}

TEST_P(RecordRuns, ComeBackFromSmallOutputs) {
  const RoundTrip trip =
      round_trip(sites_, ring_, {.last_tsc = start_}, 4800 + random_.below(3000));
  EXPECT_EQ(trip.last.stop, EncodeStop::kInputEnd);
  EXPECT_GT(trip.extents.size(), 1U);
  ASSERT_EQ(trip.records.size(), expected_.size());
  for (std::size_t i = 0; i < expected_.size(); ++i) ASSERT_EQ(trip.records[i], expected_[i]) << i;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RecordRuns, ::testing::Range<std::uint64_t>(1, 101));

}  // namespace
}  // namespace ringside::trace::testing
