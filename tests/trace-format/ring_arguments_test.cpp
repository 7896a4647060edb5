// Arguments in ring form, compared with the reader's result for the same records.
#include "trace-format/codec/ring_arguments.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "random_records.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/codec/extent_encoder.hpp"

namespace ringside::trace {
namespace {

using namespace testing;

// Compares with the reader's result for the only record in `ring`.
void expect_same_as_read(const SiteTable& sites, const std::string& ring,
                         const std::vector<Value>& values) {
  ExtentEncoder encoder(sites);
  StreamCursor cursor;
  Bytes out(4 * ring.size() + 65536);
  const EncodeResult encoded = encoder.encode(std::as_bytes(std::span(ring)), cursor, 0, 0, out);
  ASSERT_EQ(encoded.records, 1U);
  ExtentDecoder decoder;
  std::string why;
  ASSERT_TRUE(decoder.open(std::span(out).first(encoded.output_bytes).subspan(kBlockHeaderBytes),
                           sites, &why))
      << why;
  Record record;
  ASSERT_TRUE(decoder.next(record));
  ASSERT_EQ(record.args.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(record.args[i].type, values[i].type);
    EXPECT_EQ(record.args[i].u64, values[i].u64);
    EXPECT_EQ(record.args[i].high, values[i].high);
    EXPECT_EQ(record.args[i].text, values[i].text);
    EXPECT_EQ(record.args[i].count, values[i].count);
  }
}

TEST(RingArguments, EqualTheReadersArguments) {
  RandomRecords random(20);
  for (std::uint32_t i = 1; i <= 400; ++i) {
    SCOPED_TRACE(i);
    const TestSite test_site = random.site(i);
    SiteTable sites;
    add_site(sites, test_site);
    const std::string arguments = random.arguments(test_site);
    std::vector<Value> values;
    ASSERT_TRUE(
        decode_ring_arguments(*sites.find(i), std::as_bytes(std::span(arguments)), &values));
    expect_same_as_read(sites, plain_record(i, 1000, arguments), values);
    if (HasFailure()) return;
  }
}

TEST(RingArguments, HaveTheNamesOfEnumerations) {
  SiteTable sites;
  std::string why;
  ASSERT_TRUE(sites.add(enum_entry(7, {{-1, "sold"}, {4, "bought"}}), &why)) << why;
  add_site(sites, {.fields = {{.type = shm::FieldType::enumeration, .enum_table_id = 7}}});
  std::vector<Value> values;
  const std::string arguments = raw(std::int64_t{-1});
  ASSERT_TRUE(decode_ring_arguments(*sites.find(1), std::as_bytes(std::span(arguments)), &values));
  EXPECT_EQ(values[0].i64, -1);
  EXPECT_EQ(values[0].text, "sold");
}

TEST(RingArguments, AreRefusedIfTheyAreShorterOrLonger) {
  RandomRecords random(21);
  for (std::uint32_t i = 1; i <= 100; ++i) {
    const TestSite test_site = random.site(i);
    SiteTable sites;
    add_site(sites, test_site);
    const std::string arguments = random.arguments(test_site);
    std::vector<Value> values;
    // Exact sizes, so that a sanitizer reports any load past the end.
    for (std::size_t bytes = 0; bytes < arguments.size(); bytes += 1 + arguments.size() / 50) {
      const Bytes cut(as_bytes(arguments).begin(),
                      as_bytes(arguments).begin() + static_cast<std::ptrdiff_t>(bytes));
      EXPECT_FALSE(decode_ring_arguments(*sites.find(i), cut, &values)) << bytes;
    }
    const std::string longer = arguments + "x";
    EXPECT_FALSE(decode_ring_arguments(*sites.find(i), as_bytes(longer), &values));
  }
}

TEST(RingArguments, LengthsBeyondTheBytesAreRefused) {
  SiteTable sites;
  add_site(sites, {.fields = {{.type = shm::array_of(shm::FieldType::string)},
                              {.type = shm::array_of(shm::FieldType::u64)}}});
  std::vector<Value> values;
  for (const std::string& arguments :
       {raw(1U) + raw(100U) + "abc" + raw(0U), raw(~0U) + raw(0U), raw(0U) + raw(2U) + raw(7UL),
        raw(0U) + raw(0x20000000U) + raw(7UL)}) {
    EXPECT_FALSE(decode_ring_arguments(*sites.find(1), as_bytes(arguments), &values));
  }
}

}  // namespace
}  // namespace ringside::trace
