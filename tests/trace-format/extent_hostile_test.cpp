// Ring bytes that are cut or overwritten, and extents that are: no byte of them is trusted.
#include <cstring>
#include <set>

#include <gtest/gtest.h>

#include "random_records.hpp"

namespace ringside::trace::testing {
namespace {

using shm::FieldType;

class HostileBytes : public ::testing::Test {
 protected:
  void SetUp() override {
    const FieldType arrays = shm::array_of(FieldType::u32);
    const FieldType texts = shm::array_of(FieldType::string);
    list_ = {{.id = 1},
             {.id = 2, .fields = {{.type = FieldType::i32}, {.type = FieldType::i64}}},
             {.id = 3, .fields = {{.type = FieldType::string}, {.type = FieldType::u8}}},
             {.id = 4, .fields = {{.type = arrays}, {.type = texts}}},
             {.id = 5,
              .fields = {{.type = FieldType::f64},
                         {.type = FieldType::f32},
                         {.type = FieldType::u128},
                         {.type = FieldType::f80}}},
             {.id = 6, .flags = shm::kSiteConsumerClock}};
    for (const TestSite& site : list_) add_site(sites_, site);
  }

  std::string small_ring(RandomRecords& random, int count) {
    std::string ring;
    std::vector<Decoded> expected;
    for (int i = 0; i < count; ++i) {
      random.record(list_[random.below(5)], 100 + static_cast<std::uint64_t>(i), ring, expected);
      if (i % 7 == 3) ring += clock_record(100 + static_cast<std::uint64_t>(i));
      if (i % 11 == 5) ring += pad_record(24);
    }
    return ring;
  }

  SiteTable sites_;
  std::vector<TestSite> list_;
};

TEST_F(HostileBytes, AreIncompleteWhereverARecordIsCut) {
  const std::string ring =
      drop_record(90, 3, shm::LossCause::kRingFull) + plain_record(1, 100) +
      plain_record(2, 101, raw(5) + raw(6L)) + plain_record(3, 102, raw_text("some text") + "z") +
      clock_record(103) +
      plain_record(4, 104, raw(2U) + "12345678" + raw(2U) + raw_text("ab") + raw_text("")) +
      pad_record(32) + extended_record(2, 105, 0x3F, std::string(52, 'p'), raw(5) + raw(6L)) +
      plain_record(5, 106, std::string(38, 'q')) + plain_record(6, 107);
  const RoundTrip whole = round_trip(sites_, ring);
  ASSERT_EQ(whole.last.stop, EncodeStop::kInputEnd);
  ASSERT_EQ(whole.records.size(), 7U);
  // Where records end, found by the encoder alone: a cut there leaves whole records.
  std::set<std::size_t> ends;
  for (std::size_t cut = 0; cut <= ring.size(); ++cut) {
    const RoundTrip part = round_trip(sites_, std::string_view(ring).substr(0, cut));
    if (part.last.stop == EncodeStop::kInputEnd) {
      ends.insert(cut);
    } else {
      ASSERT_EQ(part.last.stop, EncodeStop::kIncomplete) << cut;
    }
    // The rest, together with what was not consumed, gives the same records.
    ExtentEncoder encoder(sites_);
    StreamCursor cursor;
    Bytes out(8192);
    std::vector<Decoded> got;
    std::size_t done = 0;
    for (std::size_t limit : {cut, ring.size()}) {
      const Bytes input(as_bytes(ring).begin() + static_cast<std::ptrdiff_t>(done),
                        as_bytes(ring).begin() + static_cast<std::ptrdiff_t>(limit));
      const auto r = encoder.encode(input, cursor, 0, 0, out);
      done += r.consumed_bytes;
      if (r.output_bytes != 0) decode_block(std::span(out).first(r.output_bytes), sites_, got);
    }
    EXPECT_EQ(done, ring.size());
    ASSERT_EQ(got, whole.records) << cut;
  }
  EXPECT_EQ(ends.size(), 11U) << "the empty input and the ends of 10 records";
}

struct BadRecord {
  const char* what;
  std::string bytes;
};

TEST_F(HostileBytes, AreNamedWithTheirPlace) {
  const std::string args = raw(5) + raw(6L);
  const std::string good = plain_record(2, 50, args);
  const BadRecord bad[] = {
      {"site id 0", plain_record(0, 60)},
      {"unknown site", plain_record(9, 60)},
      {"unknown site with a large id", plain_record(0x80000, 60)},
      {"unknown control code", plain_record(shm::kFirstControlCode, 60)},
      {"pad of 0 bytes", raw(shm::make_head(0, shm::kCodePad))},
      {"pad of 7 bytes", raw(shm::make_head(7, shm::kCodePad))},
      {"text beyond the limit", plain_record(3, 60, raw(~0U))},
      {"array beyond the limit", plain_record(4, 60, raw(0x100000U))},
      {"extended: unknown flag", extended_record(2, 60, 0x40, {}, args)},
      {"extended: unknown site", extended_record(9, 60, 0, {}, args)},
      {"extended: site 0", extended_record(0, 60, 0, {}, args)},
      {"extended: too short for its parts", extended_record(2, 60, 0x3F, {}, args)},
      {"extended: bytes left over", extended_record(2, 60, 0, {}, args + "x")},
      {"extended: bytes missing", extended_record(2, 60, 0, {}, args.substr(1))},
      {"extended: too long", raw(shm::make_head(60, shm::kCodeExtended)) + raw(2U) + raw(0U) +
                                 raw(shm::kMaxRecordBytes + 1)},
      {"extended: shorter than its head",
       raw(shm::make_head(60, shm::kCodeExtended)) + raw(1U) + raw(0U) + raw(8U)},
  };
  for (const BadRecord& b : bad) {
    std::string ring = good;
    ring.append(b.bytes).append(good);
    const RoundTrip trip = round_trip(sites_, ring);
    EXPECT_EQ(trip.last.stop, EncodeStop::kCorrupt) << b.what;
    EXPECT_EQ(trip.last.corrupt_offset, good.size()) << b.what;
    EXPECT_NE(trip.last.corrupt_reason, nullptr) << b.what;
    EXPECT_EQ(trip.last.consumed_bytes, good.size()) << b.what;
    EXPECT_EQ(trip.records.size(), 1U) << b.what;
  }
}

TEST_F(HostileBytes, GiveValidExtentsHoweverTheRingIsScribbledOn) {
  RandomRecords random(21);
  const std::string ring = small_ring(random, 60);
  ExtentEncoder encoder(sites_);
  std::size_t corrupt = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string bad = ring;
    for (std::uint64_t n = 1 + random.below(6); n > 0; --n) {
      bad[random.below(bad.size())] =
          static_cast<char>(random.below(3) == 0 ? 0xFF : random.below(256));
    }
    const Bytes input(as_bytes(bad).begin(), as_bytes(bad).end());
    Bytes out(2 * input.size() + 4096);
    StreamCursor cursor;
    std::vector<Decoded> records;
    const EncodeResult r = encoder.encode(input, cursor, 0, 0, out);
    ASSERT_LE(r.consumed_bytes, input.size());
    corrupt += r.stop == EncodeStop::kCorrupt ? 1U : 0U;
    if (r.output_bytes != 0) decode_block(std::span(out).first(r.output_bytes), sites_, records);
    ASSERT_EQ(records.size(), r.records);
    ASSERT_EQ(cursor.next_sequence, r.records + r.dropped);
  }
  EXPECT_GT(corrupt, 100U);
}

TEST_F(HostileBytes, AreNotDecodedPastTheEndOfAnExtent) {
  RandomRecords random(22);
  const std::string ring = small_ring(random, 60);
  ExtentEncoder encoder(sites_);
  StreamCursor cursor;
  Bytes out(2 * ring.size() + 4096);
  const EncodeResult r = encoder.encode(as_bytes(ring), cursor, 0, 0, out);
  ASSERT_EQ(r.stop, EncodeStop::kInputEnd);
  const Bytes payload(out.begin() + kBlockHeaderBytes,
                      out.begin() + static_cast<std::ptrdiff_t>(r.output_bytes));
  ExtentDecoder decoder;
  std::size_t failed = 0;
  const auto decode = [&](const Bytes& bytes) {
    std::string why;
    if (!decoder.open(bytes, sites_, &why)) {
      EXPECT_FALSE(why.empty());
      ++failed;
      return;
    }
    Record record;
    volatile char touched = 0;  // for the sanitizers: every text is inside the extent
    while (decoder.next(record)) {
      for (const Value& value : record.args) {
        for (const char c : value.text) touched = c;
      }
    }
    EXPECT_FALSE(decoder.next(record)) << "stays at its end";
    (void)touched;
    failed += decoder.failed() ? 1U : 0U;
  };
  for (std::size_t cut = 0; cut < payload.size(); ++cut) {
    decode(Bytes(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(cut)));
  }
  EXPECT_EQ(failed, payload.size()) << "no cut goes unnoticed";
  for (int i = 0; i < 20000; ++i) {
    Bytes bad = payload;
    for (std::uint64_t n = 1 + random.below(4); n > 0; --n) {
      bad[40 + random.below(bad.size() - 40)] = static_cast<std::byte>(random.below(256));
    }
    decode(bad);
  }
  EXPECT_GT(failed, payload.size() + 5000);
}

// One extent of the ring's records, changed in one place, and the reason for which it is refused.
class ChangedExtent {
 public:
  ChangedExtent(const SiteTable& sites, const std::string& ring) : sites_(sites) {
    ExtentEncoder encoder(sites);
    StreamCursor cursor;
    Bytes out(8192);
    const EncodeResult r = encoder.encode(as_bytes(ring), cursor, 0, 0, out);
    EXPECT_EQ(r.stop, EncodeStop::kInputEnd);
    bytes_.assign(reinterpret_cast<const char*>(out.data()) + kBlockHeaderBytes,
                  r.output_bytes - kBlockHeaderBytes);
    EXPECT_EQ(refusal(), "");
  }
  // Replaces the first occurrence of these bytes in the records.
  ChangedExtent& replace(const std::string& from, const std::string& to) {
    const std::size_t at = bytes_.find(from, kExtentHeaderBytes);
    EXPECT_NE(at, std::string::npos);
    bytes_.replace(at, from.size(), to);
    set(kRecordsBytes, number(kRecordsBytes) + static_cast<std::uint32_t>(to.size()) -
                           static_cast<std::uint32_t>(from.size()));
    return *this;
  }
  ChangedExtent& claim_more_records_than_bytes() {
    set(kRecords, number(kRecordsBytes) + 1);
    return *this;
  }
  std::string refusal() const {
    const Bytes payload(as_bytes(bytes_).begin(), as_bytes(bytes_).end());
    ExtentDecoder decoder;
    std::string why;
    if (!decoder.open(payload, sites_, &why)) return why;
    Record record;
    while (decoder.next(record)) {
    }
    return decoder.failed() ? decoder.failure() : "";
  }

 private:
  // Offsets in the extent's header.
  static constexpr std::size_t kRecords = 40;
  static constexpr std::size_t kRecordsBytes = 60;

  std::uint32_t number(std::size_t offset) const {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  void set(std::size_t offset, std::uint32_t value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
  }

  const SiteTable& sites_;
  std::string bytes_;
};

TEST_F(HostileBytes, AreRefusedWithTheReason) {
  const TestSite text{.id = 7, .fields = {{.type = FieldType::string}}};
  const TestSite array{.id = 8, .fields = {{.type = shm::array_of(FieldType::u32)}}};
  add_site(sites_, text);
  add_site(sites_, array);
  const std::string plain = plain_record(1, 100);
  EXPECT_EQ(ChangedExtent(sites_, plain).claim_more_records_than_bytes().refusal(),
            "the extent has more records than bytes");
  const std::string nines(9, '\xFF');
  const std::string substream = extended_record(1, 100, shm::kExtSubstream, raw(~0UL), {});
  EXPECT_EQ(ChangedExtent(sites_, substream).replace(nines + "\x01", nines + "\x02").refusal(),
            "a number exceeds 64 bits");
  EXPECT_EQ(ChangedExtent(sites_, substream).replace("\x01" + nines, "\x41" + nines).refusal(),
            "an extension has unknown flags");

  // Points into the site table that follows the records.
  EXPECT_EQ(ChangedExtent(sites_, plain_record(7, 100, raw_text("some text")))
                .replace("\x09some", "\x0Asome")
                .refusal(),
            "a record extends past the end of its extent");
  EXPECT_EQ(ChangedExtent(sites_, plain_record(8, 100, raw(2U) + "ABCDEFGH"))
                .replace("\x08"
                         "ABCDEFGH",
                         "\x07"
                         "ABCDEFG")
                .refusal(),
            "an array ends inside an element");
}

TEST_F(HostileBytes, CannotRepeatASiteInTheSiteTable) {
  ExtentEncoder encoder(sites_);
  StreamCursor cursor;
  Bytes out(8192);
  const std::string ring = plain_record(1, 1) + plain_record(6, 1);
  const auto r = encoder.encode(as_bytes(ring), cursor, 0, 0, out);
  Bytes payload(out.begin() + kBlockHeaderBytes,
                out.begin() + static_cast<std::ptrdiff_t>(r.output_bytes));
  ExtentDecoder decoder;
  EXPECT_TRUE(decoder.open(payload, sites_, nullptr));
  payload[payload.size() - 4] = std::byte{1};
  std::string why;
  EXPECT_FALSE(decoder.open(payload, sites_, &why));
  EXPECT_NE(why.find("repeats"), std::string::npos);
}

}  // namespace
}  // namespace ringside::trace::testing
