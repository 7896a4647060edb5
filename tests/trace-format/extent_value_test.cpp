// One value of each type through encoder and decoder, checked as typed values.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "decoded_record.hpp"

namespace ringside::trace::testing {
namespace {

using shm::FieldType;

// Decodes the records of one site and gives each record's first value.
class ExtentValues : public ::testing::Test {
 protected:
  std::vector<Value> through(const TestSite& site, const std::vector<std::string>& arguments) {
    EXPECT_TRUE(sites_.add(site_entry(site), nullptr));
    std::string ring;
    for (const std::string& args : arguments) ring += plain_record(site.id, 5, args);
    ExtentEncoder encoder(sites_);
    StreamCursor cursor;
    Bytes out(2 * ring.size() + 4096);
    const EncodeResult result = encoder.encode(as_bytes(ring), cursor, 0, 0, out);
    EXPECT_EQ(result.stop, EncodeStop::kInputEnd);
    EXPECT_EQ(result.records, arguments.size());
    payload_.assign(out.begin() + kBlockHeaderBytes,
                    out.begin() + static_cast<std::ptrdiff_t>(result.output_bytes));
    std::string why;
    EXPECT_TRUE(decoder_.open(payload_, sites_, &why)) << why;
    std::vector<Value> values;
    Record record;
    while (decoder_.next(record)) values.push_back(record.args[0]);
    EXPECT_FALSE(decoder_.failed());
    EXPECT_EQ(values.size(), arguments.size());
    return values;
  }

  template <class T>
  void expect_integers(FieldType type) {
    using Limits = std::numeric_limits<T>;
    const std::vector<T> numbers = {0,
                                    1,
                                    static_cast<T>(-1),
                                    Limits::max(),
                                    Limits::min(),
                                    Limits::min() + 1,
                                    Limits::max() - 1,
                                    Limits::max() / 2,
                                    static_cast<T>(Limits::min() / 2),
                                    100,
                                    101,
                                    static_cast<T>(100 - 256),
                                    100};
    std::vector<std::string> arguments;
    arguments.reserve(numbers.size());
    for (const T n : numbers) arguments.push_back(raw(n));
    const auto values = through({.id = next_id_++, .fields = {{.type = type}}}, arguments);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(values[i].type, type);
      if constexpr (std::is_signed_v<T>) {
        EXPECT_EQ(values[i].i64, std::int64_t{numbers[i]}) << i;
      } else {
        EXPECT_EQ(values[i].u64, std::uint64_t{numbers[i]}) << i;
      }
    }
  }

  SiteTable sites_;
  Bytes payload_;
  ExtentDecoder decoder_;
  std::uint32_t next_id_ = 1;
};

TEST_F(ExtentValues, CarriesIntegersOfEveryWidthAndSign) {
  expect_integers<std::int8_t>(FieldType::i8);
  expect_integers<std::int16_t>(FieldType::i16);
  expect_integers<std::int32_t>(FieldType::i32);
  expect_integers<std::int64_t>(FieldType::i64);
  expect_integers<std::uint8_t>(FieldType::u8);
  expect_integers<std::uint16_t>(FieldType::u16);
  expect_integers<std::uint32_t>(FieldType::u32);
  expect_integers<std::uint64_t>(FieldType::u64);
  expect_integers<std::uint64_t>(FieldType::pointer);
  expect_integers<std::uint8_t>(FieldType::character);
  expect_integers<std::uint8_t>(FieldType::boolean);
}

TEST_F(ExtentValues, CarriesIntegersOf128Bits) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> halves = {
      {0, 0},           {1, 0},    {kAll, 0}, {0, 1}, {kAll, kAll},
      {kAll - 5, kAll}, {0, kAll}, {0, kAll}, {7, 9}};
  for (const FieldType type : {FieldType::i128, FieldType::u128}) {
    std::vector<std::string> arguments;
    arguments.reserve(halves.size());
    for (const auto& [low, high] : halves) arguments.push_back(raw(low) + raw(high));
    const auto values = through({.id = next_id_++, .fields = {{.type = type}}}, arguments);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(values[i].u64, halves[i].first);
      EXPECT_EQ(values[i].high, halves[i].second);
    }
  }
}

TEST_F(ExtentValues, CarriesFloatsBitByBit) {
  using Limits = std::numeric_limits<double>;
  const std::vector<double> doubles = {0.0,
                                       -0.0,
                                       1.0,
                                       0.1,
                                       1.0,
                                       0.1,
                                       Limits::infinity(),
                                       -Limits::infinity(),
                                       Limits::quiet_NaN(),
                                       Limits::denorm_min(),
                                       Limits::max()};
  std::vector<std::string> arguments;
  arguments.reserve(doubles.size());
  for (const double d : doubles) arguments.push_back(raw(d));
  auto values = through({.id = next_id_++, .fields = {{.type = FieldType::f64}}}, arguments);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(raw(values[i].f64), arguments[i]);
  }

  arguments.clear();
  for (const double d : doubles) arguments.push_back(raw(static_cast<float>(d)));
  values = through({.id = next_id_++, .fields = {{.type = FieldType::f32}}}, arguments);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(raw(values[i].f32), arguments[i]);
  }

  values = through({.id = next_id_++, .fields = {{.type = FieldType::f80}}},
                   {std::string("0123456789"), std::string(10, '\0')});
  EXPECT_EQ(ring_form(values[0]), "0123456789");
  EXPECT_EQ(ring_form(values[1]), std::string(10, '\0'));
}

TEST_F(ExtentValues, CarriesTextsOfEveryLengthClass) {
  const std::vector<std::string> texts = {"",
                                          "a",
                                          "1234567",
                                          "12345678",
                                          "a",
                                          "",
                                          "",
                                          std::string(255, 'x'),
                                          std::string(256, 'y'),
                                          std::string(65535, 'z'),
                                          std::string(65536, 'w'),
                                          std::string("\0\xFF", 2),
                                          "a"};
  for (const FieldType type : {FieldType::string, FieldType::bytes}) {
    std::vector<std::string> arguments;
    arguments.reserve(texts.size());
    for (const std::string& t : texts) arguments.push_back(raw_text(t));
    const auto values = through({.id = next_id_++, .fields = {{.type = type}}}, arguments);
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i].text, texts[i]);
  }
}

TEST_F(ExtentValues, CarriesArrays) {
  const std::string three = raw(std::uint16_t{1}) + raw(std::uint16_t{2}) + raw(std::uint16_t{3});
  auto values = through({.id = next_id_++, .fields = {{.type = shm::array_of(FieldType::u16)}}},
                        {raw(3U) + three, raw(0U), raw(3U) + three});
  EXPECT_EQ(values[0].count, 3U);
  EXPECT_EQ(values[0].text, three);
  EXPECT_EQ(values[1].count, 0U);
  EXPECT_EQ(values[1].text, "");
  EXPECT_EQ(values[2].text, three);

  const std::string texts = raw_text("one") + raw_text("");
  values = through({.id = next_id_++, .fields = {{.type = shm::array_of(FieldType::string)}}},
                   {raw(2U) + texts, raw(1U) + raw_text("x")});
  EXPECT_EQ(values[0].count, 2U);
  EXPECT_EQ(values[0].text, texts);
  EXPECT_EQ(values[1].count, 1U);
  EXPECT_EQ(values[1].text, raw_text("x"));
}

TEST_F(ExtentValues, NamesEnumerators) {
  ASSERT_TRUE(sites_.add(enum_entry(4, {{-3, "minus three"}, {8, "eight"}}), nullptr));
  const auto values =
      through({.id = next_id_++, .fields = {{.type = FieldType::enumeration, .enum_table_id = 4}}},
              {raw(std::int64_t{-3}), raw(std::int64_t{8}), raw(std::int64_t{9})});
  EXPECT_EQ(values[0].i64, -3);
  EXPECT_EQ(values[0].text, "minus three");
  EXPECT_EQ(values[1].text, "eight");
  EXPECT_EQ(values[2].i64, 9);
  EXPECT_EQ(values[2].text, "");
}

TEST_F(ExtentValues, PutsConstantsBetweenTheOthers) {
  add_site(sites_, {.id = 1,
                    .fields = {{.type = FieldType::i32},
                               {.type = FieldType::string, .constant = true, .value = "constant"},
                               {.type = FieldType::u8}}});
  ExtentEncoder encoder(sites_);
  StreamCursor cursor;
  Bytes out(4096);
  const std::string ring = plain_record(1, 5, raw(-7) + "\x09");
  const auto result = encoder.encode(as_bytes(ring), cursor, 0, 0, out);
  ASSERT_TRUE(decoder_.open(
      std::span<const std::byte>(out).first(result.output_bytes).subspan(kBlockHeaderBytes), sites_,
      nullptr));
  Record record;
  ASSERT_TRUE(decoder_.next(record));
  ASSERT_EQ(record.args.size(), 3U);
  EXPECT_EQ(record.args[0].i64, -7);
  EXPECT_EQ(record.args[1].text, "constant");
  EXPECT_EQ(record.args[2].u64, 9U);
}

TEST_F(ExtentValues, CarriesEveryCombinationOfExtendedParts) {
  add_site(sites_, {.id = 1, .fields = {{.type = FieldType::i32}}});
  std::string ring;
  std::vector<Decoded> expected;
  for (std::uint32_t flags = 0; flags < shm::kExtFromEnd; ++flags) {
    for (const char fill : {'\0', '\x7F', '\xFF'}) {
      const std::string parts(shm::extended_parts_bytes(flags), fill);
      const std::string args = raw(static_cast<std::uint32_t>(fill));
      ring += extended_record(1, 100 + flags, flags, parts, args);
      expected.push_back({100 + flags, expected.size(), 1, flags, parts, args});
    }
  }
  const RoundTrip trip = round_trip(sites_, ring);
  EXPECT_EQ(trip.last.stop, EncodeStop::kInputEnd);
  EXPECT_EQ(trip.records, expected);
}

// Spans end in another order than they begin: the record has the time of the beginning.
TEST_F(ExtentValues, TakesTheTimeOfASpanFromItsEnd) {
  add_site(sites_, {.id = 1});
  constexpr std::uint32_t kSpan = shm::kExtDuration | shm::kExtFromEnd;
  std::string ring;
  std::vector<Decoded> expected;
  const auto add_span = [&](std::uint64_t begin, std::uint64_t end) {
    const std::string duration = raw(end - begin);
    ring += extended_record(1, end, kSpan, duration, {});
    expected.push_back({begin, expected.size(), 1, kSpan, duration, {}});
  };
  add_span(1030, 1040);
  add_span(1010, 1050);
  ring += plain_record(1, 1060, {});
  expected.push_back({1060, expected.size(), 1, 0, {}, {}});
  add_span(1000, 1060);
  const RoundTrip trip = round_trip(sites_, ring);
  EXPECT_EQ(trip.last.stop, EncodeStop::kInputEnd);
  EXPECT_EQ(trip.records, expected);
}

TEST_F(ExtentValues, StatesTheSmallestBeginningAndTheLargestEndOfSpans) {
  add_site(sites_, {.id = 1});
  constexpr std::uint32_t kSpan = shm::kExtDuration | shm::kExtFromEnd;
  const auto header_of = [&](const std::string& ring) {
    StreamCursor cursor;
    cursor.last_tsc = 1000;
    std::vector<std::byte> out(4096);
    ExtentEncoder encoder(sites_);
    const EncodeResult result = encoder.encode(std::as_bytes(std::span(ring)), cursor, 0, 0, out);
    ExtentHeader header;
    EXPECT_TRUE(ExtentHeader::parse(
        std::span<const std::byte>(out).first(result.output_bytes).subspan(kBlockHeaderBytes),
        header));
    return header;
  };
  const std::string outer = extended_record(1, 1050, kSpan, raw(std::uint64_t{40}), {});
  const ExtentHeader alone = header_of(outer);
  EXPECT_EQ(alone.base_tsc, 1050U);
  EXPECT_EQ(alone.min_tsc, 1010U);
  EXPECT_EQ(alone.max_tsc, 1050U);
  EXPECT_EQ(alone.flags & kExtentUnordered, 0U);
  const ExtentHeader after = header_of(plain_record(1, 1020, {}) + outer);
  EXPECT_EQ(after.min_tsc, 1010U);
  EXPECT_EQ(after.flags & kExtentUnordered, kExtentUnordered);
  const ExtentHeader between = header_of(plain_record(1, 1005, {}) + outer);
  EXPECT_EQ(between.min_tsc, 1005U);
  EXPECT_EQ(between.flags & kExtentUnordered, 0U);
}

TEST_F(ExtentValues, RefusesFlagsWithoutAMeaning) {
  EXPECT_TRUE(shm::are_valid_flags(shm::kExtDuration | shm::kExtFromEnd));
  EXPECT_FALSE(shm::are_valid_flags(shm::kExtFromEnd)) << "there is no duration";
  EXPECT_FALSE(shm::are_valid_flags(shm::kExtKnownFlags + 1));
  EXPECT_FALSE(shm::are_valid_flags(std::uint64_t{1} << 32 | shm::kExtDuration));
}

TEST_F(ExtentValues, RefusesASpanThatIsLongerThanItsClock) {
  add_site(sites_, {.id = 1});
  const std::string ring =
      extended_record(1, 1050, shm::kExtDuration | shm::kExtFromEnd, raw(std::uint64_t{1051}), {});
  const RoundTrip trip = round_trip(sites_, ring);
  EXPECT_EQ(trip.last.stop, EncodeStop::kCorrupt);
  EXPECT_TRUE(trip.records.empty());
}

TEST_F(ExtentValues, KeepsTypicalRecordsSmall) {
  add_site(sites_, {.id = 1});
  add_site(sites_, {.id = 2, .fields = {{.type = FieldType::string}}});
  add_site(sites_, {.id = 3, .fields = {{.type = FieldType::i32}, {.type = FieldType::i64}}});
  constexpr std::size_t kCount = 5000;
  constexpr double kOverhead = 16 + 64 + 4;
  const auto bytes_each = [&](std::uint32_t id, const auto& arguments) {
    std::string ring;
    for (std::size_t i = 0; i < kCount; ++i) ring += plain_record(id, 100 + 40 * i, arguments(i));
    const RoundTrip trip = round_trip(sites_, ring, {}, 4 * ring.size() + 4096);
    EXPECT_EQ(trip.records.size(), kCount);
    return (static_cast<double>(trip.output_bytes) - kOverhead) / kCount;
  };
  EXPECT_LE(bytes_each(1, [](std::size_t) { return std::string(); }), 2.01);
  EXPECT_LE(bytes_each(2, [](std::size_t) { return raw_text(std::string(39, 'x')); }), 2.02);
  EXPECT_LE(bytes_each(2,
                       [](std::size_t i) {
                         std::string text(39, 'x');
                         text[0] = static_cast<char>('a' + i % 26);
                         text[1] = static_cast<char>('a' + i / 26 % 26);
                         text[2] = static_cast<char>('a' + i / 676);
                         return raw_text(text);
                       }),
            42.01)
      << "changing texts of one length";
  EXPECT_LE(
      bytes_each(
          2, [](std::size_t i) { return raw_text("one of four texts " + std::to_string(i % 4)); }),
      4.1)
      << "texts that recur";
  EXPECT_LE(bytes_each(3,
                       [](std::size_t i) {
                         return raw(static_cast<std::int32_t>(i)) + raw(std::int64_t{1} << 40);
                       }),
            4.02)
      << "a counter and a constant";
}

}  // namespace
}  // namespace ringside::trace::testing
