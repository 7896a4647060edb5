// What the printf front end writes into a ring, conversion by conversion.

#include <algorithm>
#include <cerrno>
#include <cfloat>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

PROCESS_TEST(PrintfRecord, KeepsIntegersOfEveryLength) {
  RS_INFO("%d %i", -5, 7);
  EXPECT_EQ(last_values(), (Values{"i32 -5", "i32 7"}));
  RS_INFO("%hhd %hhu", 300, 300);
  EXPECT_EQ(last_values(), (Values{"i8 44", "u8 44"}));
  RS_INFO("%hd %hx", 70000, 70000);
  EXPECT_EQ(last_values(), (Values{"i16 4464", "u16 4464"}));
  RS_INFO("%ld %lu", std::numeric_limits<long>::min(), std::numeric_limits<unsigned long>::max());
  EXPECT_EQ(last_values(), (Values{"i64 -9223372036854775808", "u64 18446744073709551615"}));
  RS_INFO("%lld %llX", -1LL, ~0ULL);
  EXPECT_EQ(last_values(), (Values{"i64 -1", "u64 18446744073709551615"}));
  RS_INFO("%zd %zu", static_cast<ssize_t>(-2), std::size_t{3});
  EXPECT_EQ(last_values(), (Values{"i64 -2", "u64 3"}));
  RS_INFO("%jd %ju", std::intmax_t{-4}, std::uintmax_t{5});
  EXPECT_EQ(last_values(), (Values{"i64 -4", "u64 5"}));
  RS_INFO("%td %tx", std::ptrdiff_t{-6}, std::ptrdiff_t{6});
  EXPECT_EQ(last_values(), (Values{"i64 -6", "u64 6"}));
  RS_INFO("%o %x %X %u", 8U, 255U, 255U, 4000000000U);
  EXPECT_EQ(last_values(), (Values{"u32 8", "u32 255", "u32 255", "u32 4000000000"}));
}

PROCESS_TEST(PrintfRecord, PromotesSmallTypesAsVariableArgumentsAre) {
  enum Plain { kRed = 3 };
  const bool flag = true;
  const signed char small = -1;
  const unsigned short half = 65535;
  const char letter = 'x';
  RS_INFO("%d %d %u %d %d", flag, small, half, letter, kRed);
  EXPECT_EQ(last_values(), (Values{"i32 1", "i32 -1", "u32 65535", "i32 120", "i32 3"}));
  RS_INFO("%c%c", letter, 65);
  EXPECT_EQ(last_values(), (Values{"char 120", "char 65"}));
}

PROCESS_TEST(PrintfRecord, KeepsFloatingPointExactly) {
  RS_INFO("%f %e %g %a %F %E %G %A", 0.1, 1e300, -0.0, 5e-324, 1.5f, 2.0, 3.0, 4.0);
  EXPECT_EQ(last_values(),
            (Values{"f64 0.10000000000000001", "f64 1.0000000000000001e+300", "f64 -0",
                    "f64 4.9406564584124654e-324", "f64 1.5", "f64 2", "f64 3", "f64 4"}));
  RS_INFO("%lf", std::numeric_limits<double>::infinity());
  EXPECT_EQ(last_values(), (Values{"f64 inf"}));
  // With 64 bits of mantissa, as records keep it.
  constexpr long double kThird = 0xaaaaaaaaaaaaaaabp-65L;
  constexpr long double kMost = 0xffffffffffffffffp+16320L;
  RS_INFO("%Lf %Lg", 1.0L / 3, kMost);
  char third[64];
  char most[64];
  std::snprintf(third, sizeof third, "f80 %.20Lg", kThird);
  std::snprintf(most, sizeof most, "f80 %.20Lg", kMost);
  EXPECT_EQ(last_values(), (Values{third, most}));
  // A larger one does not exist, or rounds to infinity.
  constexpr long double kMax = std::numeric_limits<long double>::max();
  static_assert(LDBL_MANT_DIG != 64 || (kMost == kMax && kThird == 1.0L / 3));
  RS_INFO("%Lf", kMax);
  EXPECT_EQ(last_values(), (Values{kMost == kMax ? most : "f80 inf"}));
}

PROCESS_TEST(PrintfRecord, KeepsFlagsWidthsAndPrecisions) {
  RS_INFO("%-+ #08.3d|%'d|%5.1f", 42, 43, 2.25);
  EXPECT_EQ(last_values(), (Values{"i32 42", "i32 43", "f64 2.25"}));
  RS_INFO("%*d", 12, 1);
  EXPECT_EQ(last_values(), (Values{"i32 12", "i32 1"}));
  RS_INFO("%-*.*f", -7, 3, 0.5);
  EXPECT_EQ(last_values(), (Values{"i32 -7", "i32 3", "f64 0.5"}));
  const Site& site = own_segment().site("%-*.*f");
  ASSERT_EQ(site.fields.size(), 3U);
  EXPECT_TRUE(site.fields[0].is_format_arg);
  EXPECT_TRUE(site.fields[1].is_format_arg);
  EXPECT_FALSE(site.fields[2].is_format_arg);
  RS_INFO("100%% of %d", 5);
  EXPECT_EQ(last_values(), (Values{"i32 5"}));
}

PROCESS_TEST(PrintfRecord, KeepsPointersOfAnyType) {
  const int on_stack = 1;
  const volatile char other = 2;
  RS_INFO("%p %p %p %p", static_cast<const void*>(&on_stack), &on_stack, &other, nullptr);
  char first[40];
  char second[40];
  std::snprintf(first, sizeof first, "pointer %p", static_cast<const void*>(&on_stack));
  std::snprintf(second, sizeof second, "pointer %p",
                const_cast<const void*>(static_cast<const volatile void*>(&other)));
  EXPECT_EQ(last_values(), (Values{first, first, second, "pointer 0"}));
  RS_INFO("%p", "text as an address");
  EXPECT_EQ(last_values().front().substr(0, 10), "pointer 0x");
}

PROCESS_TEST(PrintfRecord, CopiesStringsUpToTheirPrecision) {
  char text[] = "changed later";
  RS_INFO("%s|%10s|%-3s", text, "pad", "");
  text[0] = 'C';
  EXPECT_EQ(last_values(), (Values{"string changed later", "string pad", "string "}));
  RS_INFO("%.3s|%.0s|%.s|%.20s", "abcdef", "abc", "abc", "abc");
  EXPECT_EQ(last_values(), (Values{"string abc", "string ", "string ", "string abc"}));
  RS_INFO("%.*s|%.*s|%*.*s", 2, "abcdef", -1, "all", 9, 4, "abcdef");
  EXPECT_EQ(last_values(), (Values{"i32 2", "string ab", "i32 -1", "string all", "i32 9", "i32 4",
                                   "string abcd"}));
  const unsigned char bytes[] = {'u', 0xFF, 0};
  RS_INFO("%s", bytes);
  EXPECT_EQ(last_values(), (Values{"string u\xFF"}));
}

PROCESS_TEST(PrintfRecord, ReadsNoByteBeyondThePrecision) {
  // Exactly sized heap blocks: AddressSanitizer reports any read past their end.
  const std::vector<char> open_ended = {'a', 'b', 'c'};
  RS_INFO("%.3s|%.*s", open_ended.data(), 2, open_ended.data());
  EXPECT_EQ(last_values(), (Values{"string abc", "i32 2", "string ab"}));
  const std::vector<wchar_t> wide = {L'ä', L'b'};
  RS_INFO("%.3ls|%.*ls", wide.data(), 2, wide.data());
  EXPECT_EQ(last_values(), (Values{"string äb", "i32 2", "string ä"}));
}

PROCESS_TEST(PrintfRecord, StoresWideTextAsUtf8) {
  const wchar_t text[] = L"aä€😀";
  RS_INFO("%ls", text);
  EXPECT_EQ(last_values(), (Values{"string aä€😀"}));
  RS_INFO("%S", text);
  EXPECT_EQ(last_values(), (Values{"string aä€😀"}));
  RS_INFO("%.1ls|%.2ls|%.3ls|%.5ls|%.6ls|%.10ls", text, text, text, text, text, text);
  EXPECT_EQ(last_values(), (Values{"string a", "string a", "string aä", "string aä", "string aä€",
                                   "string aä€😀"}));
  RS_INFO("%lc%lc%C", L'ä', static_cast<std::wint_t>(L'€'), L'z');
  EXPECT_EQ(last_values(), (Values{"string ä", "string €", "string z"}));
  const wchar_t broken[] = {static_cast<wchar_t>(0xD800), static_cast<wchar_t>(0x110000), 0};
  RS_INFO("%ls", broken);
  EXPECT_EQ(last_values(), (Values{"string \xEF\xBF\xBD\xEF\xBF\xBD"}));
}

// glibc is the reference for what a null string becomes.
std::string glibc(const char* format, ...) {
  char text[64];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return std::string("string ") + text;
}

PROCESS_TEST(PrintfRecord, RecordsNullStringsAsGlibcPrintsThem) {
  const char* volatile null_text = nullptr;
  const wchar_t* volatile null_wide = nullptr;
  const char* const text = null_text;
  const wchar_t* const wide = null_wide;
  RS_INFO("%s|%.5s|%.6s|%.7s|%.0s", text, text, text, text, text);
  EXPECT_EQ(last_values(), (Values{glibc("%s", text), glibc("%.5s", text), glibc("%.6s", text),
                                   glibc("%.7s", text), glibc("%.0s", text)}));
  EXPECT_EQ(last_values(),
            (Values{"string (null)", "string ", "string (null)", "string (null)", "string "}));
  RS_INFO("%ls|%.5ls|%.6ls", wide, wide, wide);
  EXPECT_EQ(last_values(), (Values{"string (null)", "string ", "string (null)"}));
  RS_INFO("%.*s|%.*s", 5, text, -1, text);
  EXPECT_EQ(last_values(), (Values{"i32 5", "string ", "i32 -1", "string (null)"}));
}

PROCESS_TEST(PrintfRecord, TakesThirtyTwoArgumentsAndNone) {
  RS_INFO("nothing at all");
  EXPECT_EQ(last_values(), Values{});
  RS_INFO("%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d", 1, 2, 3, 4, 5, 6, 7,
          8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
          31, 32);
  Values wanted;
  for (int i = 1; i <= 32; ++i) wanted.push_back("i32 " + std::to_string(i));
  EXPECT_EQ(last_values(), wanted);
}

PROCESS_TEST(PrintfRecord, EvaluatesArgumentsOnceWhenOnAndNeverWhenOff) {
  int count = 0;
  int other = 0;
  const auto next_text = [&other] { return ++other, "text"; };
  const auto log = [&] { RS_INFO("%d %s", ++count, next_text()); };
  log();
  EXPECT_EQ(count, 1);
  log();
  EXPECT_EQ(count, 2);
  set_level(Level::notice);
  log();
  EXPECT_EQ(count, 2);
  set_level(Level::info);
  log();
  EXPECT_EQ(count, 3);
  EXPECT_EQ(other, 3);
  EXPECT_EQ(own_segment().data(own_segment().my_ring()).size(), 3U);
}

PROCESS_TEST(PrintfRecord, EvaluatesArgumentsOnceWhenTheRecordIsCut) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  const std::string large(40'000, 'x');
  int count = 0;
  for (int i = 0; i < 2; ++i) RS_INFO("%d %s", ++count, large.c_str());
  EXPECT_EQ(count, 2);
}

PROCESS_TEST(PrintfRecord, StampsRecordsInOrder) {
  const std::uint64_t before = rs_clock();
  for (int i = 0; i < 100; ++i) RS_INFO("%d", i);
  const std::uint64_t after = rs_clock();
  SegmentReader& segment = own_segment();
  const std::vector<Record> records = segment.records(segment.my_ring());
  ASSERT_EQ(records.size(), 101U);
  ASSERT_EQ(records[0].code, shm::kCodeClock);
  std::uint64_t last = records[0].words[0];
  EXPECT_LE(before, last);
  // The head of the clock record has the processor's code in its time.
  for (const Record& r : std::span(records).subspan(1)) {
    const std::uint64_t tsc = shm::widen_tsc(r.tsc, last);
    EXPECT_LE(last, tsc);
    last = tsc;
  }
  EXPECT_LE(last, after);
}

PROCESS_TEST(PrintfRecord, DescribesTheStatement) {
  const int answer = 42;
  const char* const names[] = {"a", "b"};
  RS_WARNING("described %d %s %d %c", answer, names[answer % 2], std::max(1, 2) + answer, ',');
  const std::uint32_t line = __LINE__ - 1;
  const Site& site = own_segment().site("described %d %s %d %c");
  EXPECT_EQ(site.line, line);
  EXPECT_EQ(site.level, shm::Level::kWarning);
  EXPECT_TRUE(site.file.ends_with("printf_record_test.cpp")) << site.file;
  EXPECT_NE(site.function.find("body"), std::string::npos) << site.function;
  ASSERT_EQ(site.fields.size(), 4U);
  EXPECT_EQ(site.fields[0].name, "answer");
  EXPECT_EQ(site.fields[1].name, "names[answer % 2]");
  EXPECT_EQ(site.fields[2].name, "std::max(1, 2) + answer");
  EXPECT_EQ(site.fields[3].name, "arg4");
}

template <class A, class B>
int twice(int value) {
  return 2 * value;
}

PROCESS_TEST(PrintfRecord, NamesEachFieldByItsOwnArgument) {
  const char* const password = "x";
  RS_INFO("template %d %s", twice<int, long>(1), password);
  RS_INFO("raw %s %s", R"(a",b)", password);
  RS_INFO("digits %d %s", 0xAB'CD, password);
  const long digits = 2;
  RS_INFO("star %*.*d %d", 5, static_cast<int>(digits), 7, 5);
  RS_INFO("equal %s %s %.*s", password, static_cast<const char*>(password), 1, (password));
  const auto names_of = [](const std::string& format) {
    std::vector<std::string> names;
    for (const auto& field : own_segment().site(format).fields) names.emplace_back(field.name);
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_of("template %d %s"), (Names{"twice<int, long>(1)", "password"}));
  EXPECT_EQ(names_of("star %*.*d %d"), (Names{"arg1", "digits", "arg3", "arg4"}));
  EXPECT_EQ(names_of("equal %s %s %.*s"), (Names{"password", "password_2", "arg3", "password_3"}));
  EXPECT_EQ(own_segment().site("raw %s %s").fields[1].name, "password");
  EXPECT_EQ(own_segment().site("digits %d %s").fields[1].name, "password");
}

PROCESS_TEST(PrintfRecord, KeepsLongExpressionsUpToTheirBound) {
  const int a = 1;
  RS_INFO("long %d",
          a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a);
  EXPECT_EQ(own_segment().site("long %d").fields[0].name,
            "a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a");
}

PROCESS_TEST(PrintfRecord, HasAllLevels) {
  RS_TRACE("level 1");
  RS_DEBUG("level 2");
  RS_INFO("level 3");
  RS_NOTICE("level 4");
  RS_WARNING("level 5");
  RS_ERROR("level 6");
  RS_CRITICAL("level 7");
  EXPECT_EQ(own_segment().data(0).size(), 7U);
  for (std::uint8_t level = 1; level <= 7; ++level) {
    EXPECT_EQ(own_segment().site("level " + std::to_string(level)).level,
              static_cast<shm::Level>(level));
  }
}

PROCESS_TEST(PrintfRecord, LeavesErrnoAlone) {
  errno = 1234;
  RS_INFO("the first record makes segment and ring, errno %d", errno);
  EXPECT_EQ(errno, 1234);
  EXPECT_EQ(last_values(), (Values{"i32 1234"}));
}

}  // namespace
}  // namespace ringside::test
