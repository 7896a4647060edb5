#include "shm-layout/printf_spec.hpp"

#include <string>

#include <gtest/gtest.h>

#include "shm-layout/printf_error_text.hpp"
#include "shm-layout/printf_fields.hpp"

namespace ringside::shm {
namespace {

consteval PrintfSpec first(std::string_view format) {
  PrintfSpec spec;
  PrintfParser parser(format);
  if (!parser.next(spec)) throw "no conversion";
  return spec;
}

consteval PrintfError error(std::string_view format) {
  return printf_fields(format).error;
}

consteval FieldType type(std::string_view format) {
  return first(format).field_type;
}

static_assert(type("%d") == FieldType::i32 && type("%hhd") == FieldType::i8);
static_assert(type("%hi") == FieldType::i16 && type("%ld") == FieldType::i64);
static_assert(type("%lld") == FieldType::i64 && type("%qd") == FieldType::i64);
static_assert(type("%zd") == FieldType::i64 && type("%jd") == FieldType::i64);
static_assert(type("%ti") == FieldType::i64 && type("%u") == FieldType::u32);
static_assert(type("%hhx") == FieldType::u8 && type("%ho") == FieldType::u16);
static_assert(type("%lX") == FieldType::u64 && type("%zu") == FieldType::u64);
static_assert(type("%b") == FieldType::u32 && type("%llB") == FieldType::u64);
static_assert(type("%c") == FieldType::character && type("%lc") == FieldType::string);
static_assert(type("%C") == FieldType::string && type("%S") == FieldType::string);
static_assert(type("%s") == FieldType::string && type("%ls") == FieldType::string);
static_assert(type("%p") == FieldType::pointer && type("%f") == FieldType::f64);
static_assert(type("%lf") == FieldType::f64 && type("%Lf") == FieldType::f80);
static_assert(type("%La") == FieldType::f80 && type("%A") == FieldType::f64);
static_assert(!first("%s").wide && first("%ls").wide && first("%C").wide && first("%S").wide);

static_assert(first("ab%-+ #0'12.34ldx").begin == 2);
static_assert(first("ab%-+ #0'12.34ldx").end == 16);
static_assert(first("%-+ #0'12.34ld").flags == 63);
static_assert(first("%-+ #0'12.34ld").width == 12);
static_assert(first("%-+ #0'12.34ld").precision == 34);
static_assert(first("%-+ #0'12.34ld").length == LengthModifier::l);
static_assert(first("%d").width_kind == WidthKind::none);
static_assert(first("%d").precision_kind == WidthKind::none);
static_assert(first("%*.*d").width_kind == WidthKind::argument);
static_assert(first("%*.*d").precision_kind == WidthKind::argument);
static_assert(first("%.d").precision_kind == WidthKind::literal && first("%.d").precision == 0);
static_assert(first("%%").conversion == '%' && first("%%").field_type == FieldType::none);

static_assert(error("plain") == PrintfError::none && error("") == PrintfError::none);
static_assert(error("%n") == PrintfError::writes_memory);
static_assert(error("%hhn") == PrintfError::writes_memory);
static_assert(error("%m") == PrintfError::prints_errno);
static_assert(error("%1$d") == PrintfError::positional);
static_assert(error("%*2$d") == PrintfError::positional);
static_assert(error("%.*2$d") == PrintfError::positional);
static_assert(error("%y") == PrintfError::unknown_conversion);
static_assert(error("%5%") == PrintfError::unknown_conversion);
static_assert(error("%.-5s") == PrintfError::unknown_conversion);
static_assert(error("%hs") == PrintfError::invalid_length);
static_assert(error("%Ld") == PrintfError::invalid_length);
static_assert(error("%llf") == PrintfError::invalid_length);
static_assert(error("%zp") == PrintfError::invalid_length);
static_assert(error("%lS") == PrintfError::invalid_length);
static_assert(error("%hc") == PrintfError::invalid_length);
static_assert(error("%") == PrintfError::incomplete && error("100%") == PrintfError::incomplete);
static_assert(error("%-") == PrintfError::incomplete && error("%5.3l") == PrintfError::incomplete);
static_assert(error("%4095d") == PrintfError::none);
static_assert(error("%4096d") == PrintfError::width_too_large);
static_assert(error("%99999999999999999999d") == PrintfError::width_too_large);
static_assert(error("%.4096f") == PrintfError::precision_too_large);
static_assert(error("%.4096d") == PrintfError::precision_too_large);
static_assert(error("%.1000000s %.4096ls %.99999999999999999999S") == PrintfError::none);
static_assert(error({"a\0%d", 4}) == PrintfError::embedded_nul);
static_assert(error({"%\0d", 3}) == PrintfError::unknown_conversion);

constexpr FieldList kList = printf_fields("%% %*d %.*s %-*.*ls %.7s %lc");
static_assert(kList.ok() && kList.count == 9);
static_assert(kList[0].role == PrintfRole::width && kList[0].type == FieldType::i32);
static_assert(kList[1].role == PrintfRole::value && kList[1].conversion == 'd');
static_assert(kList[2].role == PrintfRole::precision);
static_assert(kList[3].type == FieldType::string && kList[3].precision_field == 2);
static_assert(kList[4].role == PrintfRole::width && kList[5].role == PrintfRole::precision);
static_assert(kList[6].precision_field == 5 && kList[6].wide);
static_assert(kList[6].length == LengthModifier::l);
static_assert(kList[7].precision_literal == 7 && kList[7].precision_field == -1);
static_assert(kList[8].wide && kList[8].precision_literal == -1);

TEST(PrintfParser, AllowsExactly255FieldsCountingStars) {
  std::string format;
  for (int i = 0; i < 84; ++i) format += "%*.*d";
  format += "%d";
  EXPECT_TRUE(printf_fields(format + "%d%.*s").error == PrintfError::too_many_fields);
  EXPECT_TRUE(printf_fields(format + "%d%d").ok());
  const std::uint32_t full = printf_fields(format + "%d%d").count;
  EXPECT_EQ(full, 255u);
  const FieldList last = printf_fields(format + "%.*s");
  EXPECT_EQ(last[254].precision_field, 253);
  EXPECT_EQ(printf_fields(format + "%d%d%d").error, PrintfError::too_many_fields);
  EXPECT_EQ(printf_fields(format + "%*.*d").error, PrintfError::too_many_fields);
  EXPECT_EQ(printf_fields(format + "%d%d%%").error, PrintfError::none);
}

TEST(PrintfParser, RejectsFormatsAbove64KiB) {
  EXPECT_TRUE(printf_fields(std::string(65536, 'x')).ok());
  EXPECT_EQ(printf_fields(std::string(65537, 'x')).error, PrintfError::format_too_long);
}

TEST(PrintfParser, StaysStoppedAtItsFirstErrorAndReportsItsPlace) {
  PrintfParser parser("ab %d %y %d");
  PrintfSpec spec;
  EXPECT_TRUE(parser.next(spec));
  EXPECT_FALSE(parser.next(spec));
  EXPECT_EQ(parser.error_offset(), 6u);
  EXPECT_FALSE(parser.next(spec));
  EXPECT_EQ(parser.error(), PrintfError::unknown_conversion);
}

TEST(PrintfParser, HasAMessageForEveryError) {
  for (unsigned value = 0; value <= static_cast<unsigned>(PrintfError::embedded_nul); ++value) {
    EXPECT_NE(message(static_cast<PrintfError>(value)), "undefined error") << value;
  }
}

}  // namespace
}  // namespace ringside::shm
