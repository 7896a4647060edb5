// A visitor's parameters are checked against the fields before the first record, and it gets the
// values of the records.
#include "trace-format/query/visit.hpp"

#include <gtest/gtest.h>

#include "query_trace.hpp"

namespace ringside::trace::query {
namespace {

using namespace trace::testing;
using shm::FieldType;

const QuerySite kFilled{.id = 5,
                        .format = "filled %u at %f",
                        .fields = {{.type = FieldType::u32, .name = "qty"},
                                   {.type = FieldType::f64, .name = "price"},
                                   {.type = FieldType::string, .name = "symbol"}},
                        .name = "filled",
                        .line = 12};
const QuerySite kRejected{
    .id = 6, .format = "rejected %lu", .fields = {{.type = FieldType::u64, .name = "qty"}}};
const QuerySite kEveryType{
    .id = 7,
    .format = "every type",
    .fields = {{.type = FieldType::boolean, .name = "boolean"},
               {.type = FieldType::character, .name = "character"},
               {.type = FieldType::i8, .name = "i8"},
               {.type = FieldType::i128, .name = "i128"},
               {.type = FieldType::u128, .name = "u128"},
               {.type = FieldType::f32, .name = "f32"},
               {.type = FieldType::pointer, .name = "pointer"},
               {.type = FieldType::bytes, .name = "bytes"},
               {.type = FieldType::enumeration, .name = "side", .enum_table_id = 3},
               {.type = shm::array_of(FieldType::i16), .name = "array"},
               {.type = FieldType::u16,
                .name = "constant",
                .constant = true,
                .value = raw(std::uint16_t{60000})}}};

std::string filled(std::uint32_t qty, double price, std::string_view symbol) {
  return raw(qty) + raw(price) + raw_text(symbol);
}

class Visit : public ::testing::Test {
 protected:
  void SetUp() override {
    QueryTrace trace({kFilled, kRejected}, "exchange");
    trace.thread(1, "matcher");
    trace.record(1, 5, 100, filled(3, 1.5, "ABC"));
    trace.record(1, 6, 200, raw(std::uint64_t{7}));
    trace.record(1, 5, 300, filled(4'000'000'000, 2.5, "XYZ"));
    paths_ = {directory_.write("a.ringtrace", trace.bytes())};
  }

  // The visit must fail before the first record.
  template <std::size_t N, class Visitor>
  QueryError error_of(const SiteSelector& sites, const std::array<std::string_view, N>& fields,
                      Visitor visitor) {
    const VisitResult result = visit(paths_, sites, fields, visitor);
    EXPECT_TRUE(result.error);
    EXPECT_EQ(result.report.records, 0U);
    return result.error.value_or(QueryError{});
  }

  TemporaryDirectory directory_;
  std::vector<std::string> paths_;
};

TEST_F(Visit, HandsOverTheFieldsByName) {
  std::vector<std::string> got;
  const VisitResult result = visit<"symbol", "qty", "price">(
      paths_, SiteSelector::text("filled"),
      [&](std::string_view symbol, std::uint32_t qty, double price) {
        got.push_back(std::string(symbol) + " " + std::to_string(qty) + " " +
                      std::to_string(price));
      });
  ASSERT_TRUE(result.ok()) << result.text();
  EXPECT_EQ(got, (std::vector<std::string>{"ABC 3 1.500000", "XYZ 4000000000 2.500000"}));
  ASSERT_EQ(result.sites.size(), 1U);
  EXPECT_EQ(result.sites[0].service, "exchange");
  EXPECT_EQ(site_label(result.sites[0].site), "src/file.cpp:12 filled \"filled %u at %f\"");
}

TEST_F(Visit, WidensIntegersAndTakesFieldsByNumber) {
  std::vector<std::int64_t> wide;
  const std::array<std::string_view, 1> fields{"#1"};
  ASSERT_TRUE(visit(paths_, SiteSelector::name("filled"), fields, [&](std::int64_t qty) {
                wide.push_back(qty);
              }).ok());
  EXPECT_EQ(wide, (std::vector<std::int64_t>{3, 4'000'000'000}));
  std::vector<std::uint64_t> of_both;
  ASSERT_TRUE(visit<"qty">(paths_,
                           SiteSelector::all() && !SiteSelector::text("%u of nothing") &&
                               (SiteSelector::name("filled") || SiteSelector::text("rejected")),
                           [&](std::uint64_t qty) { of_both.push_back(qty); })
                  .ok());
  EXPECT_EQ(of_both, (std::vector<std::uint64_t>{3, 7, 4'000'000'000}));
}

TEST_F(Visit, GivesTimeThreadAndPlaceOfARecord) {
  std::vector<std::uint64_t> times;
  ASSERT_TRUE(visit<"qty">(paths_, SiteSelector::name("filled"),
                           [&](const RecordInfo& info, std::uint32_t) {
                             times.push_back(info.unix_ns);
                             EXPECT_EQ(info.sequence, times.size() == 1 ? 0U : 2U);
                             EXPECT_EQ(info.stream->thread_name, "matcher");
                             EXPECT_EQ(info.stream->thread_id, 1001U);
                             EXPECT_EQ(info.segment->service, "exchange");
                             EXPECT_EQ(info.site->line, 12U);
                             EXPECT_FALSE(info.duration_ns());
                           })
                  .ok());
  EXPECT_EQ(times, (std::vector<std::uint64_t>{100, 300}));
}

TEST_F(Visit, GivesFieldsBeyondTheParametersUnchecked) {
  const std::array<std::string_view, 3> fields{"qty", "symbol", "no such field"};
  std::string symbols;
  ASSERT_TRUE(visit(paths_, SiteSelector::name("filled"), fields,
                    [&](const RecordInfo& info, std::uint32_t) {
                      symbols += info.value(1)->text;
                      EXPECT_EQ(info.value(2), nullptr);
                    })
                  .ok());
  EXPECT_EQ(symbols, "ABCXYZ");
}

TEST_F(Visit, LetsAnOptionalFieldBeMissing) {
  std::vector<double> prices;
  const SiteSelector sites = SiteSelector::name("filled") || SiteSelector::text("rejected");
  ASSERT_TRUE(visit<"price">(paths_, sites, [&](std::optional<double> price) {
                prices.push_back(price.value_or(-1));
              }).ok());
  EXPECT_EQ(prices, (std::vector<double>{1.5, -1, 2.5}));
}

TEST_F(Visit, RefusesAMissingFieldAndNamesTheExistingOnes) {
  const QueryError error =
      error_of<1>(SiteSelector::name("filled"), {"quantity"}, [](std::uint32_t) { FAIL(); });
  EXPECT_EQ(error.field, "quantity");
  EXPECT_EQ(error.site, "src/file.cpp:12 filled \"filled %u at %f\"");
  EXPECT_NE(error.text().find("#1 qty (u32), #2 price (f64), #3 symbol (string)"),
            std::string::npos)
      << error.text();
}

TEST_F(Visit, RefusesANarrowerTypeAndNamesBothAndTheRemedy) {
  const QueryError error =
      error_of<1>(SiteSelector::text("rejected"), {"qty"}, [](std::uint32_t) { FAIL(); });
  EXPECT_EQ(error.wanted, "std::uint32_t");
  EXPECT_EQ(error.found, "u64");
  EXPECT_EQ(error.text(),
            "exchange: field \"qty\" of site src/file.cpp:1 \"rejected %lu\" is u64, which "
            "std::uint32_t cannot hold without loss; read it as std::uint64_t");
  error_of<1>(SiteSelector::text("rejected"), {"qty"}, [](std::int64_t) { FAIL(); });
  error_of<1>(SiteSelector::text("rejected"), {"qty"}, [](double) { FAIL(); });
  error_of<1>(SiteSelector::name("filled"), {"qty"}, [](std::int32_t) { FAIL(); });
  error_of<1>(SiteSelector::name("filled"), {"price"}, [](float) { FAIL(); });
  error_of<1>(SiteSelector::name("filled"), {"price"}, [](std::int64_t) { FAIL(); });
  error_of<1>(SiteSelector::name("filled"), {"symbol"}, [](std::uint64_t) { FAIL(); });
  error_of<1>(SiteSelector::name("filled"), {"qty"}, [](std::string_view) { FAIL(); });
}

TEST_F(Visit, ChecksTheSitesOfAllFilesBeforeTheFirstRecord) {
  QuerySite other = kFilled;
  other.fields[0].type = FieldType::i64;
  QueryTrace trace({other}, "newer", 2);
  paths_.push_back(directory_.write("b.ringtrace", trace.bytes()));
  const QueryError error =
      error_of<1>(SiteSelector::name("filled"), {"qty"}, [](std::uint32_t) { FAIL(); });
  EXPECT_EQ(error.text().substr(0, 6), "newer:");
}

TEST_F(Visit, ReportsThatNoSiteMatches) {
  const QueryError error = error_of<0>(SiteSelector::text("cancelled"), {}, [] { FAIL(); });
  EXPECT_NE(error.text().find("no site matches text with \"cancelled\""), std::string::npos);
  EXPECT_NE(error.text().find("\"rejected %lu\""), std::string::npos) << error.text();
}

TEST_F(Visit, ReportsFewerFieldNamesThanParameters) {
  error_of<1>(SiteSelector::name("filled"), {"qty"}, [](std::uint32_t, double) { FAIL(); });
}

TEST_F(Visit, ReportsAnUnreadablePath) {
  const std::vector<std::string> paths{directory_.path() + "/none.ringtrace"};
  const VisitResult result = visit<>(paths, SiteSelector::all(), [] { FAIL(); });
  EXPECT_TRUE(result.unreadable);
  EXPECT_FALSE(result.text().empty());
}

TEST_F(Visit, CountsWhatIsDamagedAndVisitsTheRest) {
  QueryTrace trace({kRejected}, "exchange", 3);
  for (std::uint64_t i = 0; i < 3; ++i) {
    trace.record(1, 6, 100 + i, raw(i));
    trace.write_out();
  }
  Bytes bytes = trace.bytes();
  bytes[bytes.size() / 2 + 60] ^= std::byte{1};
  const std::vector<std::string> paths{directory_.write("damaged.ringtrace", bytes)};
  std::uint64_t count = 0;
  const VisitResult result = visit<>(paths, SiteSelector::text("rejected"), [&] { ++count; });
  ASSERT_TRUE(result.ok()) << result.text();
  EXPECT_EQ(result.report.damaged_blocks, 1U);
  EXPECT_GE(count, 2U);
}

TEST(VisitOfEveryType, GivesEachValue) {
  const TemporaryDirectory directory;
  QueryTrace trace({kEveryType}, "types", 1, enum_entry(3, {{-1, "SELL"}, {1, "BUY"}}));
  const Int128 big = (Int128{-5} << 70) + 3;
  const UInt128 huge = (UInt128{9} << 100) + 1;
  trace.record(1, 7, 1,
               raw(std::uint8_t{1}) + raw('x') + raw(std::int8_t{-7}) + raw(big) + raw(huge) +
                   raw(0.25F) + raw(std::uint64_t{0xABCD}) + raw_text(std::string_view("\0\1", 2)) +
                   raw(std::int64_t{-1}) + raw(std::uint32_t{2}) + raw(std::int16_t{-300}) +
                   raw(std::int16_t{400}));
  const std::vector<std::string> paths{directory.write("a.ringtrace", trace.bytes())};
  const SiteSelector sites = SiteSelector::text("every type");
  int visits = 0;
  const VisitResult result = visit<"boolean", "character", "i8", "i128", "u128", "f32", "pointer",
                                   "bytes", "side", "array", "constant">(
      paths, sites,
      [&](bool boolean, char character, std::int8_t i8, Int128 i128, UInt128 u128, float f32,
          std::uint64_t pointer, std::span<const std::byte> bytes, EnumValue side,
          std::span<const std::int16_t> array, std::uint16_t constant) {
        ++visits;
        EXPECT_TRUE(boolean);
        EXPECT_EQ(character, 'x');
        EXPECT_EQ(i8, -7);
        EXPECT_TRUE(i128 == big);
        EXPECT_TRUE(u128 == huge);
        EXPECT_EQ(f32, 0.25F);
        EXPECT_EQ(pointer, 0xABCDU);
        ASSERT_EQ(bytes.size(), 2U);
        EXPECT_EQ(bytes[1], std::byte{1});
        EXPECT_EQ(side.number, -1);
        EXPECT_EQ(side.name, "SELL");
        EXPECT_EQ((std::vector<std::int16_t>(array.begin(), array.end())),
                  (std::vector<std::int16_t>{-300, 400}));
        EXPECT_EQ(constant, 60000);
      });
  ASSERT_TRUE(result.ok()) << result.text();
  EXPECT_EQ(visits, 1);
  // Other valid parameters: wider types, numbers, names.
  ASSERT_TRUE((visit<"boolean", "i8", "i128", "f32", "side", "side", "constant">(
                   paths, sites,
                   [&](std::int64_t boolean, Int128 i8, AnyNumber i128, double f32,
                       std::int64_t side, std::string_view name, long double constant) {
                     ++visits;
                     EXPECT_EQ(boolean, 1);
                     EXPECT_TRUE(i8 == -7);
                     EXPECT_EQ(i128.value, static_cast<double>(big));
                     EXPECT_EQ(f32, 0.25);
                     EXPECT_EQ(side, -1);
                     EXPECT_EQ(name, "SELL");
                     EXPECT_EQ(constant, 60000.0L);
                   })
                   .ok()));
  EXPECT_EQ(visits, 2);
  const VisitResult arrays =
      visit<"array">(paths, sites, [&](std::span<const std::int32_t>) { ++visits; });
  ASSERT_TRUE(arrays.error);
  EXPECT_EQ(arrays.error->remedy, "read it as std::span<const std::int16_t>");
}

TEST(VisitOfSpans, GivesTheDurationInNanoseconds) {
  const TemporaryDirectory directory;
  QueryTrace trace({{.id = 9, .format = "span"}});
  trace.span(1, 9, 10, 250);
  trace.record(1, 9, 20);
  const std::vector<std::string> paths{directory.write("a.ringtrace", trace.bytes())};
  std::vector<std::optional<std::uint64_t>> durations;
  ASSERT_TRUE(visit<>(paths, SiteSelector::text("span"), [&](const RecordInfo& info) {
                durations.push_back(info.duration_ns());
              }).ok());
  EXPECT_EQ(durations, (std::vector<std::optional<std::uint64_t>>{250, std::nullopt}));
}

}  // namespace
}  // namespace ringside::trace::query
