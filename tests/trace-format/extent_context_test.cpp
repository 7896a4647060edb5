// The context of a stream's records: it holds until the next one, whatever extents they are in.
#include <gtest/gtest.h>

#include "decoded_record.hpp"
#include "trace-format/codec/site_choice.hpp"
#include "trace_file_builder.hpp"

namespace ringside::trace::testing {
namespace {

using shm::FieldType;
using shm::SiteKind;

constexpr std::uint32_t kUser = 2;     // a context with a number and a text
constexpr std::uint32_t kNobody = 3;   // the end of a context
constexpr std::uint32_t kRatio = 4;    // a context with a fraction
constexpr std::uint32_t kMeasure = 5;  // a statement with a fraction

class ExtentContext : public ::testing::Test {
 protected:
  void SetUp() override {
    add_site(sites_, {.id = 1, .fields = {{.type = FieldType::u32}}});
    add_site(sites_, {.id = kUser,
                      .fields = {{.type = FieldType::i64}, {.type = FieldType::string}},
                      .kind = SiteKind::kContext});
    add_site(sites_, {.id = kNobody, .kind = SiteKind::kContext});
    add_site(sites_,
             {.id = kRatio, .fields = {{.type = FieldType::f64}}, .kind = SiteKind::kContext});
    add_site(sites_, {.id = kMeasure, .fields = {{.type = FieldType::f64}}});
  }

  std::string record(std::uint32_t value) { return plain_record(1, ++time_, raw(value)); }
  std::string user(std::int64_t id, std::string_view name) {
    return plain_record(kUser, ++time_, raw(id) + raw_text(name));
  }
  std::string nobody() { return plain_record(kNobody, ++time_); }
  static std::string in_context(std::int64_t id, std::string_view name) {
    return raw(kUser) + raw(id) + raw_text(name);
  }
  static std::vector<std::string> contexts(const RoundTrip& trip) {
    std::vector<std::string> contexts;
    for (const Decoded& d : trip.records) contexts.push_back(d.context);
    return contexts;
  }
  Bytes encoded(std::string_view ring, StreamCursor& cursor) {
    ExtentEncoder encoder(sites_);
    Bytes out(1 << 16);
    const EncodeResult done = encoder.encode(as_bytes(ring), cursor, 0, 0, out);
    EXPECT_EQ(done.stop, EncodeStop::kInputEnd);
    out.resize(done.output_bytes);
    return out;
  }

  SiteTable sites_;
  std::uint64_t time_ = 100;
};

TEST_F(ExtentContext, HoldsFromItsRecordUntilTheNextOne) {
  const std::string ring = record(1) + user(7, "ann") + record(2) + record(3) + user(8, "bob") +
                           record(4) + nobody() + record(5);
  const RoundTrip trip = round_trip(sites_, ring, {.last_tsc = 100});
  const std::string ann = in_context(7, "ann");
  const std::string bob = in_context(8, "bob");
  EXPECT_EQ(contexts(trip), (std::vector<std::string>{"", ann, ann, ann, bob, bob, "", ""}));
  EXPECT_EQ(trip.extents.size(), 1U);
  EXPECT_FALSE(trip.extents[0].has_context()) << "its first record has none";
  EXPECT_EQ(trip.cursor.context.site_id, 0U);
}

TEST_F(ExtentContext, IsAtTheFrontOfALaterExtentOnceMore) {
  StreamCursor cursor{.stream_id = 9, .next_sequence = 40, .last_tsc = 100};
  std::vector<Decoded> records;
  decode_block(encoded(user(7, "ann") + record(1), cursor), sites_, records);
  EXPECT_EQ(cursor.next_sequence, 42U);
  const Bytes second = encoded(record(2) + record(3), cursor);
  EXPECT_EQ(cursor.next_sequence, 44U) << "the copy is not one of the stream's records";
  const ExtentHeader header = decode_block(second, sites_, records);
  EXPECT_TRUE(header.has_context());
  EXPECT_EQ(header.first_sequence, 42U);
  EXPECT_EQ(header.records, 2U);
  ASSERT_EQ(records.size(), 4U);
  EXPECT_EQ(records[2].sequence, 42U);
  EXPECT_EQ(records[2].context, in_context(7, "ann"));
  EXPECT_EQ(records[3].context, in_context(7, "ann"));
  EXPECT_EQ(records[3].args, raw(std::uint32_t{3}));
}

// A cursor is read from memory that the service can write.
TEST_F(ExtentContext, OfAPlainStatementIsIgnored) {
  const std::string value = raw(std::uint32_t{5});
  const auto bytes = as_bytes(value);
  StreamCursor cursor{.next_sequence = 40, .last_tsc = 100};
  cursor.context = {1, {bytes.begin(), bytes.end()}};
  std::vector<Decoded> records;
  const ExtentHeader header = decode_block(encoded(record(2), cursor), sites_, records);
  EXPECT_FALSE(header.has_context());
  EXPECT_EQ(header.first_sequence, 40U);
  ASSERT_EQ(records.size(), 1U) << "a record that the service did not make";
  EXPECT_EQ(records[0].args, raw(std::uint32_t{2}));
  EXPECT_EQ(cursor.next_sequence, 41U);
}

TEST_F(ExtentContext, IsNotCopiedInFrontOfItsSuccessor) {
  StreamCursor cursor{.last_tsc = 100};
  std::vector<Decoded> records;
  decode_block(encoded(user(7, "ann") + record(1), cursor), sites_, records);
  const ExtentHeader header =
      decode_block(encoded(user(8, "bob") + record(2), cursor), sites_, records);
  EXPECT_FALSE(header.has_context());
  EXPECT_EQ(records.back().context, in_context(8, "bob"));
}

TEST_F(ExtentContext, AtTheFrontIsComparedWithLaterOnesOfItsStatement) {
  StreamCursor cursor{.last_tsc = 100};
  encoded(user(7, "ann"), cursor);
  std::vector<Decoded> records;
  const double ratio = 2.5;
  std::int64_t bits = 0;
  std::memcpy(&bits, &ratio, sizeof bits);
  // The bytes of the second context would be those of the third one.
  std::string ring = record(1);
  ring += plain_record(kRatio, ++time_, raw(ratio));
  ring += user(bits, "ann");
  ring += record(2);
  decode_block(encoded(ring, cursor), sites_, records);
  ASSERT_EQ(records.size(), 4U);
  EXPECT_EQ(records[3].context, in_context(bits, "ann"));
}

TEST_F(ExtentContext, LeavesTheNumbersOfLostRecordsAlone) {
  const std::string ring =
      user(7, "ann") + record(1) + drop_record(time_, 5, shm::LossCause::kRingFull) + record(2);
  const RoundTrip trip = round_trip(sites_, ring, {.last_tsc = 100});
  ASSERT_EQ(trip.extents.size(), 3U);
  EXPECT_EQ(trip.extents[1].records, 0U) << "the loss has an extent of its own";
  EXPECT_EQ(trip.extents[1].dropped, 5U);
  EXPECT_EQ(trip.extents[1].first_sequence, 7U);
  EXPECT_EQ(trip.extents[2].first_sequence, 7U);
  EXPECT_EQ(trip.extents[2].dropped, 0U);
  EXPECT_EQ(trip.records.back().sequence, 7U);
  EXPECT_EQ(trip.records.back().context, in_context(7, "ann"));
}

TEST_F(ExtentContext, ReachesRecordsOfChosenSites) {
  StreamCursor cursor{.last_tsc = 100};
  encoded(user(7, "ann") + record(1), cursor);
  constexpr double kValue = 2.5;
  std::string ring = record(1);
  for (const std::uint32_t id : {kRatio, kMeasure, kMeasure}) {
    ring += plain_record(id, ++time_, raw(kValue));
  }
  const Bytes block = encoded(ring, cursor);
  SiteChoice choice;
  choice.add(*sites_.find(1));
  choice.add(*sites_.find(kMeasure), {});
  const auto payload = std::span<const std::byte>(block).subspan(kBlockHeaderBytes);
  ExtentDecoder decoder;
  std::string why;
  ASSERT_TRUE(decoder.open(payload, sites_, &why, &choice)) << why;
  std::vector<std::string> seen;
  decoder.for_each([&](const RecordView& record) { seen.push_back(ring_form(record.context)); });
  const std::string ratio = raw(kRatio) + raw(kValue);
  EXPECT_EQ(seen, (std::vector<std::string>{in_context(7, "ann"), ratio, ratio}));
}

TEST_F(ExtentContext, IsARecordLikeOthersOnRequest) {
  StreamCursor cursor{.next_sequence = 3, .last_tsc = 100};
  encoded(user(7, "ann"), cursor);
  const Bytes block = encoded(record(2), cursor);
  const auto payload = std::span<const std::byte>(block).subspan(kBlockHeaderBytes);
  ExtentDecoder decoder;
  ASSERT_TRUE(decoder.open(payload, sites_, nullptr, nullptr, ExtentDecoder::Contexts::kRaw));
  EXPECT_EQ(decoder.header().records, 2U);
  Record record;
  ASSERT_TRUE(decoder.next(record));
  EXPECT_EQ(record.site->id, kUser);
  EXPECT_EQ(record.sequence, 3U);
  ASSERT_TRUE(decoder.next(record));
  EXPECT_EQ(record.sequence, 4U);
  EXPECT_EQ(record.context, nullptr);
  EXPECT_FALSE(decoder.next(record));
  EXPECT_FALSE(decoder.failed());
}

TEST_F(ExtentContext, OfMoreThanItsLargestSizeIsCorrupt) {
  const std::string fits(shm::kMaxContextBytes - 12, 'x');
  EXPECT_EQ(round_trip(sites_, user(1, fits) + record(1), {.last_tsc = 100}).last.stop,
            EncodeStop::kInputEnd);
  EXPECT_EQ(round_trip(sites_, user(1, fits + 'x') + record(1), {.last_tsc = 100}).last.stop,
            EncodeStop::kCorrupt);
}

TEST_F(ExtentContext, IsRefusedIfTheFrontOfTheExtentIsNone) {
  StreamCursor cursor{.last_tsc = 100};
  encoded(user(7, "ann"), cursor);
  const Bytes block = encoded(record(2), cursor);
  const auto refusal = [&](auto change) {
    Bytes changed(block.begin() + kBlockHeaderBytes, block.end());
    change(changed.data());
    ExtentDecoder decoder;
    std::string why;
    EXPECT_FALSE(decoder.open(changed, sites_, &why));
    EXPECT_EQ(decoder.header().records, 0U);
    return why;
  };
  EXPECT_EQ(refusal([](std::byte* head) { head[40] = std::byte{0}; }),
            "the context at its front is missing");
  EXPECT_EQ(refusal([](std::byte* head) { head[48] = std::byte{1}; }),
            "an extent that begins with a context has lost records");
  const std::size_t table = block.size() - kBlockHeaderBytes - 8;
  EXPECT_EQ(refusal([&](std::byte* head) { std::swap(head[table], head[table + 4]); }),
            "its first record is not a context");
}

TEST_F(ExtentContext, OfADamagedFileTakesBoundedMemory) {
  SiteTable sites;
  std::vector<TestField> fields(512, {.type = FieldType::u8});
  add_site(sites, {.id = 1, .fields = fields, .kind = SiteKind::kContext});
  // 8,192 records with the values of the record before.
  std::string payload(kExtentHeaderBytes, '\0');
  constexpr std::uint32_t kRecords = 8192;
  std::memcpy(payload.data() + 40, &kRecords, 4);
  std::memcpy(payload.data() + 60, &kRecords, 4);
  payload +=
      std::string(kRecords, static_cast<char>(kPlaceSameValues << 4)) + raw(std::uint32_t{1});
  ExtentDecoder decoder;
  ASSERT_TRUE(decoder.open(as_bytes(payload), sites, nullptr));
  Record record;
  std::uint64_t count = 0;
  while (decoder.next(record)) ++count;
  EXPECT_TRUE(decoder.failed());
  EXPECT_EQ(count, 256U);
}

// Otherwise small hostile files would take gigabytes.
TEST_F(ExtentContext, TakesNoMemoryIfNoRecordIsInIt) {
  std::string ring;
  for (std::int64_t i = 0; i < 500; ++i) ring += user(i, "ann");
  ring += record(1);
  for (std::int64_t i = 500; i < 1000; ++i) ring += user(i, "ann");
  ring += nobody() + record(2) + user(7, "bob") + record(3);
  StreamCursor cursor{.last_tsc = 100};
  const Bytes block = encoded(ring, cursor);
  const auto payload = std::span(block).subspan(kBlockHeaderBytes);
  std::vector<std::string> contexts;
  ExtentDecoder decoder;
  std::string why;
  const auto open = [&] {
    return decoder.open(payload, sites_, &why, nullptr, ExtentDecoder::Contexts::kAside);
  };
  ASSERT_TRUE(open()) << why;
  Record record;
  while (decoder.next(record)) contexts.push_back(owned(record).context);
  ASSERT_FALSE(decoder.failed()) << decoder.failure();
  EXPECT_EQ(contexts, (std::vector<std::string>{in_context(499, "ann"), "", in_context(7, "bob")}));
  EXPECT_EQ(decoder.take_contexts().size(), 2U);
  ASSERT_TRUE(open()) << why;
  std::vector<std::int64_t> users;
  decoder.for_each([&users](const RecordView& view) {
    users.push_back(view.context == nullptr ? -1 : view.context->args[0].i64);
  });
  EXPECT_EQ(users, (std::vector<std::int64_t>{499, -1, 7}));
  EXPECT_EQ(decoder.take_contexts().size(), 2U);
}

}  // namespace
}  // namespace ringside::trace::testing
