// One value of each record, read by guessing the records' lengths, is the value of a full decode:
// whether lengths repeat, change now and then, or always, and whatever the bytes.
#include <algorithm>

#include <gtest/gtest.h>

#include "random_records.hpp"
#include "trace-format/codec/site_choice.hpp"

namespace ringside::trace::testing {
namespace {

using shm::FieldType;

struct Seen {
  std::uint64_t tsc = 0;
  std::uint64_t sequence = 0;
  std::string value;

  bool operator==(const Seen&) const = default;
};

class GuessedRun : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  // One to six numbers, of which at most one is an f64: others of that type would be read too.
  void SetUp() override {
    const std::uint64_t fields = 1 + random_.below(6);
    const std::uint64_t float_at = random_.below(2) == 0 ? random_.below(fields) : fields;
    for (std::uint64_t i = 0; i < fields; ++i) {
      static constexpr FieldType kIntegers[] = {FieldType::u64, FieldType::i32, FieldType::u8};
      site_.fields.push_back(
          {.type = i == float_at ? FieldType::f64 : kIntegers[random_.below(3)]});
    }
    add_site(sites_, site_);
    add_site(sites_, {.id = 2});
    wanted_ = static_cast<std::uint16_t>(random_.below(fields));
    // One record in so many has values of other sizes.
    const std::uint64_t other_every = std::uint64_t{1} << random_.below(9);
    std::uint64_t tsc = 1000;
    std::string ring;
    for (unsigned i = 0; i < 3000; ++i) {
      tsc += random_.below(random_.below(50) == 0 ? 100'000 : 200);
      const unsigned size = random_.below(other_every) == 0
                                ? static_cast<unsigned>(random_.below(64))
                                : (i / 700 * 8) % 40;
      ring += random_.below(400) == 0 ? plain_record(2, tsc, "")
                                      : plain_record(1, tsc, arguments(size));
    }
    StreamCursor cursor{.last_tsc = 1000};
    ExtentEncoder encoder(sites_);
    Bytes out(2 * ring.size() + 4096);
    const EncodeResult r = encoder.encode(as_bytes(ring), cursor, 0, 0, out);
    ASSERT_EQ(r.stop, EncodeStop::kInputEnd);
    payload_.assign(out.begin() + kBlockHeaderBytes,
                    out.begin() + static_cast<std::ptrdiff_t>(r.output_bytes));
    if (random_.below(8) != 0) choice_.add(*sites_.find(1), {&wanted_, 1});
    // Without a choice of site 1, its records are only skipped.
    choice_.add(*sites_.find(2));
  }

  std::string arguments(unsigned size) {
    std::string all;
    for (const TestField& field : site_.fields) {
      const std::uint64_t bits =
          (random_.below(~std::uint64_t{0}) | std::uint64_t{1} << 63) >> 24 << 16;
      std::string value =
          raw(field.type == FieldType::f64 ? bits << (size % 48) : bits >> (63 - size));
      value.resize(shm::fixed_size(field.type));
      all += value;
    }
    return all;
  }

  void note(std::vector<Seen>& seen, std::uint64_t tsc, std::uint64_t sequence, const Site& site,
            const Value* args) const {
    seen.push_back({tsc, sequence, site.id == 1 ? ring_form(args[wanted_]) : "other"});
  }

  std::vector<Seen> by_full_decode(const Bytes& payload, bool& failed) {
    ExtentDecoder decoder;
    std::vector<Seen> seen;
    failed = !decoder.open(payload, sites_, nullptr);
    Record record;
    while (!failed && decoder.next(record)) {
      if (!choice_.plan(*record.site).chosen) continue;
      note(seen, record.tsc, record.sequence, *record.site, record.args.data());
    }
    failed = failed || decoder.failed();
    return seen;
  }

  std::vector<Seen> by_choice(const Bytes& payload, bool& failed) {
    ExtentDecoder decoder;
    std::vector<Seen> seen;
    failed = !decoder.open(payload, sites_, nullptr, &choice_);
    if (!failed) {
      decoder.for_each(
          [&](const RecordView& r) { note(seen, r.tsc, r.sequence, *r.site, r.args); });
    }
    failed = failed || decoder.failed();
    return seen;
  }

  RandomRecords random_{GetParam()};
  TestSite site_{.id = 1};
  SiteTable sites_;
  SiteChoice choice_;
  std::uint16_t wanted_ = 0;
  Bytes payload_;
};

TEST_P(GuessedRun, HasTheValuesOfAFullDecode) {
  bool failed = false;
  const std::vector<Seen> all = by_full_decode(payload_, failed);
  ASSERT_FALSE(failed);
  EXPECT_EQ(by_choice(payload_, failed), all);
  EXPECT_FALSE(failed);
}

TEST_P(GuessedRun, EndsWhereAFullDecodeEnds) {
  for (int i = 0; i < 40; ++i) {
    Bytes damaged = payload_;
    for (std::uint64_t n = 1 + random_.below(3); n > 0; --n) {
      damaged[kExtentHeaderBytes + random_.below(damaged.size() - kExtentHeaderBytes)] =
          static_cast<std::byte>(random_.below(256));
    }
    bool failed = false;
    bool choice_failed = false;
    const std::vector<Seen> all = by_full_decode(damaged, failed);
    EXPECT_EQ(by_choice(damaged, choice_failed), all);
    EXPECT_EQ(choice_failed, failed);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GuessedRun, ::testing::Range<std::uint64_t>(1, 81));

}  // namespace
}  // namespace ringside::trace::testing
