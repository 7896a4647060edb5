// Statements whose formats are only known at run time.

#include "libagent/include/ringside/runtime_format.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "libagent/include/ringside/format.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/site_switch.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/signal_handler.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

constexpr int kMostStatements = 4096;

Record last_record() {
  return own_segment().data(own_segment().my_ring()).back();
}

Site last_site() {
  const std::uint32_t id = last_record().code;
  return own_segment().sites().at(id);
}

void log_printf(std::string_view format, int value) {
  RS_LOG_RUNTIME(RS_LEVEL_INFO, format, value);
}

void log_brace(std::string_view format, int value) {
  RS_FMT_RUNTIME(RS_LEVEL_INFO, format, value);
}

PROCESS_TEST(RuntimeFormat, IsThatOfAStatement) {
  const std::string user = "ann";
  const double amount = 2.5;
  std::string format = "%s paid %.2f";
  RS_LOG_RUNTIME(RS_LEVEL_WARNING, format, user, amount);
  EXPECT_EQ(last_values(), (Values{"string ann", "f64 2.5"}));
  Site site = last_site();
  EXPECT_EQ(site.format, "%s paid %.2f");
  EXPECT_EQ(site.level, shm::Level::kWarning);
  EXPECT_EQ(site.function, "RuntimeFormat_IsThatOfAStatement_body");
  EXPECT_NE(site.file.find("runtime_format_test.cpp"), std::string::npos);
  EXPECT_NE(site.line, 0U);
  ASSERT_EQ(site.fields.size(), 2U);
  EXPECT_EQ(site.fields[0].name, "user");
  EXPECT_EQ(site.fields[1].name, "amount");
  format = "{} paid {sum:.2f}";
  RS_FMT_RUNTIME(RS_LEVEL_INFO, format, user, RS_NAMED("sum", amount));
  EXPECT_EQ(last_values(), (Values{"string ann", "f64 2.5"}));
  site = last_site();
  EXPECT_EQ(site.format, "{} paid {sum:.2f}");
  EXPECT_EQ(site.fields[1].name, "sum");
}

PROCESS_TEST(RuntimeFormat, IsRegisteredOnceForEachPlace) {
  for (const char* format : {"a %d", "b %d", "a %d"}) log_printf(format, 1);
  EXPECT_EQ(own_segment().count_sites("a %d"), 1U);
  EXPECT_EQ(own_segment().count_sites("b %d"), 1U);
  const std::string_view format = "a %d";
  RS_LOG_RUNTIME(RS_LEVEL_INFO, format, 2);
  EXPECT_EQ(own_segment().count_sites("a %d"), 2U);
  EXPECT_EQ(own_segment().data(own_segment().my_ring()).size(), 4U);
}

PROCESS_TEST(RuntimeFormat, TakesEveryKindOfArgument) {
  enum class Side { buy = 7 };
  const std::string_view format = "%s %c %d %u %hhd %ld %x %f %f %Lf %p %s %d %s";
  RS_LOG_RUNTIME(RS_LEVEL_INFO, format, std::string("text"), 'c', std::uint8_t{200}, -1, -2, -3L,
                 std::uint64_t{1} << 40, 0.5F, 0.25, 0.125L, nullptr, "c string", Side::buy,
                 std::string_view("view"));
  EXPECT_EQ(last_site().format, format);
  EXPECT_EQ(last_values(),
            (Values{"string text", "char 99", "i32 200", "u32 4294967295", "i8 -2", "i64 -3",
                    "u64 1099511627776", "f64 0.5", "f64 0.25", "f80 0.125", "pointer 0",
                    "string c string", "i32 7", "string view"}));
  const bool flag = true;
  const detail::Int128 wide = -5;
  RS_FMT_RUNTIME(RS_LEVEL_INFO, "{} {} {} {} {} {} {} {}", flag, 'c', std::uint8_t{200},
                 std::int16_t{-3}, 0.5F, wide, Side::buy, 0.125L);
  EXPECT_EQ(last_site().format, "{} {} {} {} {} {} {} {}");
  EXPECT_EQ(last_values(),
            (Values{"bool 1", "char 99", "u8 200", "i16 -3", "f32 0.5",
                    "i128 0xfffffffffffffffffffffffffffffffb", "i32 7", "f80 0.125"}));
  RS_FMT_RUNTIME(RS_LEVEL_INFO, "nothing");
  EXPECT_EQ(last_values(), Values());
}

PROCESS_TEST(RuntimeFormat, PrecisionsLimitTexts) {
  // The bytes after the text cannot be read.
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const pages = static_cast<char*>(
      mmap(nullptr, 2 * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(pages + page_bytes, page_bytes, PROT_NONE), 0);
  const char* const null = nullptr;
  const char* const text = std::strcpy(pages + page_bytes - 5, "full");
  pages[page_bytes - 1] = '!';
  RS_LOG_RUNTIME(RS_LEVEL_INFO, "%.5s", text);
  EXPECT_EQ(last_values(), (Values{"string full!"}));
  RS_LOG_RUNTIME(RS_LEVEL_INFO, "%.*s|%.*s", 2, text, 3, std::string("string"));
  EXPECT_EQ(last_values(), (Values{"i32 2", "string fu", "i32 3", "string str"}));
  RS_LOG_RUNTIME(RS_LEVEL_INFO, "%s %.5s %.6s", null, null, null);
  EXPECT_EQ(last_values(), (Values{"string (null)", "string ", "string (null)"}));
  RS_LOG_RUNTIME(RS_LEVEL_INFO, "%.*s", -1, "whole");
  EXPECT_EQ(last_values(), (Values{"i32 -1", "string whole"}));
}

PROCESS_TEST(RuntimeFormat, ThatIsRefusedIsRecordedAsTextWithTheValues) {
  const std::string nul("a\0b %d", 6);
  const std::string large(20'000, 'x');
  for (const std::string_view format :
       {std::string_view("%n"), std::string_view("%"), std::string_view("%s"),
        std::string_view("%d %d"), std::string_view("none"), std::string_view("%f"),
        std::string_view("%99999d"), std::string_view("%ls"), std::string_view("%lc"),
        std::string_view("%m"), std::string_view("%*d"), std::string_view(nul),
        std::string_view(large)}) {
    log_printf(format, 42);
    EXPECT_EQ(last_values(), (Values{"i32 42", "string " + std::string(format)}));
    const Site site = last_site();
    EXPECT_EQ(site.format, "{1} {0}");
    EXPECT_EQ(site.fields.at(0).name, "value");
    EXPECT_EQ(site.fields.at(1).name, "format");
  }
  for (const std::string_view format :
       {std::string_view("{"), std::string_view("}"), std::string_view("{} {}"),
        std::string_view("{0} {}"), std::string_view("{1}"), std::string_view("{name}"),
        std::string_view("{:s}"), std::string_view("{:99999}"), std::string_view("none"),
        std::string_view("{:{}}"), std::string_view(nul), std::string_view(large)}) {
    log_brace(format, 43);
    EXPECT_EQ(last_values(), (Values{"i32 43", "string " + std::string(format)}));
    EXPECT_EQ(last_site().format, "{1} {0}");
  }
  EXPECT_EQ(own_segment().count_sites("{1} {0}"), 2U);
  RS_LOG_RUNTIME(RS_LEVEL_INFO, "%p", "text");
  EXPECT_EQ(last_values(), (Values{"string text", "string %p"}));
  EXPECT_EQ(losses(), 0U);
}

PROCESS_TEST(RuntimeFormat, MayHaveAnyBytes) {
  std::mt19937 random(20261123);
  constexpr std::string_view kBytes = "%{}:.*0123456789dsfxcnpl#+-<>^ \"\\\x80\xff";
  constexpr int kCalls = 3000;
  for (int i = 0; i < kCalls; ++i) {
    std::string format;
    for (std::size_t length = random() % 12; format.size() < length;) {
      format += kBytes[random() % kBytes.size()];
    }
    if (i % 2 == 0) {
      log_printf(format, i);
    } else {
      log_brace(format, i);
    }
  }
  EXPECT_EQ(own_segment().data(own_segment().my_ring()).size(), std::size_t{kCalls});
  EXPECT_EQ(losses(), 0U);
}

PROCESS_TEST(RuntimeFormat, ThatIsOneTooManyIsRecordedAsTextWithTheValues) {
  for (int i = 0; i < kMostStatements; ++i) log_printf("number " + std::to_string(i) + " %d", i);
  EXPECT_EQ(last_site().format, "number 4095 %d");
  EXPECT_EQ(own_segment().count_sites("{1} {0}"), 0U);
  log_printf("further %d", 1);
  EXPECT_EQ(last_values(), (Values{"i32 1", "string further %d"}));
  log_brace("{} more", 2);
  EXPECT_EQ(last_values(), (Values{"i32 2", "string {} more"}));
  log_printf("number 7 %d", 3);
  EXPECT_EQ(last_site().format, "number 7 %d");
  EXPECT_EQ(losses(), 0U);
}

PROCESS_TEST(RuntimeFormat, TakesTheMostArguments) {
  const std::string format = "{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}";
  for (const std::string& each : {format, std::string("{")}) {
    RS_FMT_RUNTIME(RS_LEVEL_INFO, each, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
                   17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
    EXPECT_EQ(last_values().at(30), "i32 30");
  }
  EXPECT_EQ(last_values().at(31), "string {");
  EXPECT_EQ(last_site().format.substr(0, 12), "{31} {0} {1}");
  EXPECT_EQ(last_site().format.substr(last_site().format.size() - 9), "{29} {30}");
}

PROCESS_TEST(RuntimeFormat, ThatIsNewInASignalHandlerIsRecordedAsText) {
  if (kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer hides the frames of handlers";
  init();
  in_handler([] { log_printf("in handler %d", 1); });
  EXPECT_EQ(last_values(), (Values{"i32 1", "string in handler %d"}));
  log_printf("in handler %d", 2);
  in_handler([] { log_printf("in handler %d", 3); });
  EXPECT_EQ(last_values(), (Values{"i32 3"}));
  EXPECT_EQ(last_site().format, "in handler %d");
}

PROCESS_TEST(RuntimeFormat, TakesLevelsGatesAndCategories) {
  const std::string_view format = "gated %d";
  for (int i = 0; i < 4; ++i) {
    const Level level = i < 2 ? Level::debug : Level::error;
    RS_WITH_CATEGORY("net", RS_WITH_KEYWORDS(6, RS_EVERY_N(2, RS_LOG_RUNTIME(level, format, i))));
  }
  std::map<shm::Level, std::uint64_t> suppressed;
  for (const auto& [id, site] : own_segment().sites()) {
    if (site.format != format) continue;
    EXPECT_EQ(site.category, "net");
    EXPECT_EQ(site.keywords, 6U);
    suppressed[site.level] = own_segment().executions(id).suppressed;
  }
  EXPECT_EQ(suppressed, (std::map<shm::Level, std::uint64_t>{{shm::Level::kDebug, 1},
                                                             {shm::Level::kError, 1}}));
  EXPECT_EQ(own_segment().data(own_segment().my_ring()).size(), 2U);
}

#define RS_MIN_LEVEL RS_LEVEL_NOTICE
PROCESS_TEST(RuntimeFormat, BelowTheLowestLevelNothingIsEvaluated) {
  int evaluated = 0;
  const auto format = [&evaluated] {
    ++evaluated;
    return "lowest";
  };
  RS_LOG_RUNTIME(RS_LEVEL_INFO, format());
  EXPECT_EQ(evaluated, 0);
  RS_LOG_RUNTIME(RS_LEVEL_NOTICE, format());
  EXPECT_EQ(evaluated, 1);
}
#undef RS_MIN_LEVEL

PROCESS_TEST(RuntimeFormat, IsEvaluatedOnceAndArgumentsOnlyWhileEnabled) {
  int formats = 0;
  int values = 0;
  const auto log = [&] {
    const auto format = [&formats] {
      return std::string("evaluated ") + (++formats > 0 ? "%d" : "");
    };
    RS_LOG_RUNTIME(RS_LEVEL_INFO, format().c_str(), ++values);
  };
  log();
  EXPECT_EQ(last_values(), (Values{"i32 1"}));
  own_segment().set_site_switch(last_record().code, shm::kSwitchOff);
  log();
  EXPECT_EQ(formats, 2);
  EXPECT_EQ(values, 1);
}

PROCESS_TEST(RuntimeFormat, IsOneStatementForAllThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 200; ++i) log_brace("thread {} " + std::to_string(i % 20), i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(own_segment().count_sites("thread {} " + std::to_string(i)), 1U);
  }
  EXPECT_EQ(losses(), 0U);
}

PROCESS_TEST(RuntimeFormat, AChildRegistersItsOwn) {
  log_printf("before %d", 1);
  EXPECT_EQ(run_child([] {
              log_printf("before %d", 2);
              EXPECT_EQ(last_values(), (Values{"i32 2"}));
              EXPECT_EQ(last_site().format, "before %d");
            }),
            0);
}

template <class T>
void log_template(T value) {
  const auto log = [](auto v) { RS_FMT_RUNTIME(RS_LEVEL_INFO, std::string("template {}"), v); };
  log(value);
}

PROCESS_TEST(RuntimeFormat, WorksInTemplatesAndLambdas) {
  log_template(1);
  EXPECT_EQ(last_values(), (Values{"i32 1"}));
  log_template(1.5);
  EXPECT_EQ(last_values(), (Values{"f64 1.5"}));
  log_template("text");
  EXPECT_EQ(last_values(), (Values{"string text"}));
}

}  // namespace
}  // namespace ringside::test
