// The effect of the RINGSIDE_ variables.

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/segment_name.hpp"
#include "shm-layout/site_switch.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

void set(const char* name, const char* value) {
  setenv(name, value, 1);
}

std::string file_name() {
  return std::filesystem::path(status().segment_path).filename();
}

PROCESS_TEST(Environment, DefaultsApplyWithoutVariables) {
  const StderrCapture capture;
  ASSERT_EQ(init().state, State::live);
  const shm::SegmentHeader& header = own_segment().header();
  EXPECT_EQ(header.ring_bytes, 1U << 20);
  EXPECT_EQ(header.ring_count, 1024U);
  const shm::ServiceLine& line = own_segment().control().service;
  EXPECT_EQ(line.overflow_policy.load(), static_cast<std::uint32_t>(shm::OverflowPolicy::kBlock));
  EXPECT_EQ(line.block_timeout_ms.load(), 100U);
  EXPECT_EQ(line.level.load(), 1U);
  EXPECT_EQ(capture.lines().size(), 0U);
}

PROCESS_TEST(Environment, OverridesTheOptions) {
  set("RINGSIDE_SERVICE", "from-environment");
  set("RINGSIDE_RING_BYTES", "131072");
  set("RINGSIDE_MAX_THREADS", "7");
  set("RINGSIDE_OVERFLOW", "DROP");
  set("RINGSIDE_BLOCK_TIMEOUT_MS", "33");
  set("RINGSIDE_LEVEL", "Error");
  Options options;
  options.service = "from-options";
  options.shm_dir = "/nonexistent";
  options.ring_bytes = 65536;
  options.max_threads = 3;
  options.overflow = Overflow::block;
  options.block_timeout = std::chrono::milliseconds(11);
  options.level = Level::debug;
  const StderrCapture capture;
  ASSERT_EQ(init(options).state, State::live);
  const shm::SegmentHeader& header = own_segment().header();
  EXPECT_STREQ(header.service, "from-environment");
  EXPECT_EQ(header.ring_bytes, 131072U);
  EXPECT_EQ(header.ring_count, 7U);
  const shm::ServiceLine& line = own_segment().control().service;
  EXPECT_EQ(line.overflow_policy.load(), static_cast<std::uint32_t>(shm::OverflowPolicy::kDrop));
  EXPECT_EQ(line.block_timeout_ms.load(), 33U);
  EXPECT_EQ(line.level.load(), 6U);
  EXPECT_EQ(capture.lines().size(), 0U);
}

PROCESS_TEST(Environment, OptionsApplyWithoutVariables) {
  set("RINGSIDE_SERVICE", "");
  Options options;
  options.service = "from-options";
  options.ring_bytes = 65536;
  options.max_threads = 3;
  options.overflow = Overflow::drop;
  options.block_timeout = std::chrono::milliseconds(11);
  options.level = Level::warning;
  options.mode = 0660;
  options.cost_sampling = 512;
  const mode_t old_mask = umask(077);
  ASSERT_EQ(init(options).state, State::live);
  umask(old_mask);
  EXPECT_STREQ(own_segment().header().service, "from-options");
  EXPECT_EQ(own_segment().header().ring_bytes, 65536U);
  EXPECT_EQ(own_segment().header().ring_count, 3U);
  EXPECT_EQ(own_segment().control().service.overflow_policy.load(), 1U);
  EXPECT_EQ(own_segment().control().service.block_timeout_ms.load(), 11U);
  EXPECT_EQ(own_segment().control().service.level.load(), 5U);
  EXPECT_EQ(own_segment().header().cost_sampling, 512U);
  struct stat info {};
  ASSERT_EQ(stat(status().segment_path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0660U);
}

struct BadValue {
  const char* name;
  const char* value;
};

constexpr BadValue kBadValues[] = {
    {"RINGSIDE_RING_BYTES", "65537"},
    {"RINGSIDE_RING_BYTES", "2048"},
    {"RINGSIDE_RING_BYTES", "8589934592"},
    {"RINGSIDE_RING_BYTES", "3M"},
    {"RINGSIDE_RING_BYTES", "8G"},
    {"RINGSIDE_RING_BYTES", "M"},
    {"RINGSIDE_RING_BYTES", "1MB"},
    {"RINGSIDE_RING_BYTES", "1m"},
    {"RINGSIDE_RING_BYTES", "1 M"},
    {"RINGSIDE_RING_BYTES", "17179869185G"},
    {"RINGSIDE_RING_BYTES", "-65536"},
    {"RINGSIDE_MAX_THREADS", "0"},
    {"RINGSIDE_MAX_THREADS", "65537"},
    {"RINGSIDE_MAX_THREADS", "many"},
    {"RINGSIDE_MAX_THREADS", " 5"},
    {"RINGSIDE_OVERFLOW", "overwrit"},
    {"RINGSIDE_OVERFLOW", "2"},
    {"RINGSIDE_BLOCK_TIMEOUT_MS", "-1"},
    {"RINGSIDE_BLOCK_TIMEOUT_MS", "3600001"},
    {"RINGSIDE_BLOCK_TIMEOUT_MS", "1.5"},
    {"RINGSIDE_BLOCK_TIMEOUT_MS", "for ever"},
    {"RINGSIDE_ABSENT_TIMEOUT_MS", "forever"},
    {"RINGSIDE_ABSENT_TIMEOUT_MS", "-1"},
    {"RINGSIDE_LEVEL", "loud"},
    {"RINGSIDE_LEVEL", "3"},
    {"RINGSIDE_CLOCK", "sundial"},
    {"RINGSIDE_COST_SAMPLING", "-1"},
    {"RINGSIDE_COST_SAMPLING", "1000000001"},
    {"RINGSIDE_COST_SAMPLING", "1/1024"},
    {"RINGSIDE_PROCESSOR_INTERVAL_MS", "-1"},
    {"RINGSIDE_PROCESSOR_INTERVAL_MS", "3600001"},
    {"RINGSIDE_PROCESSOR_INTERVAL_MS", "often"},
    {"RINGSIDE_MODE", "0666"},
    {"RINGSIDE_MODE", "0620"},
    {"RINGSIDE_MODE", "0060"},
    {"RINGSIDE_MODE", "02660"},
    {"RINGSIDE_MODE", "0x1b0"},
    {"RINGSIDE_MODE", "rw-rw----"},
    {"RINGSIDE_MODE", "0680"},
    {"RINGSIDE_TRUNCATION_GUARD", "maybe"},
    {"RINGSIDE_TRUNCATION_GUARD", "1"},
    {"RINGSIDE_HUGE_PAGES", "1"},
    {"RINGSIDE_DISABLE", "yes"},
};

PROCESS_TEST(Environment, AnInvalidValueIsReportedInOneLineAndTheDefaultApplies) {
  for (const BadValue& bad : kBadValues) {
    const int status = run_child([&bad] {
      set(bad.name, bad.value);
      std::vector<std::string> lines;
      {
        const StderrCapture capture;
        init();
        RS_INFO("records all the same");
        lines = capture.lines();
      }
      ASSERT_EQ(ringside::status().state, State::live);
      ASSERT_EQ(lines.size(), 1U);
      EXPECT_TRUE(lines[0].starts_with("ringside: ")) << lines[0];
      EXPECT_NE(lines[0].find(std::string(bad.name) + "=" + bad.value), std::string::npos);
      EXPECT_NE(lines[0].find("; using "), std::string::npos) << lines[0];
      EXPECT_EQ(own_segment().header().ring_bytes, 1U << 20);
      EXPECT_EQ(own_segment().header().ring_count, 1024U);
      EXPECT_EQ(own_segment().control().service.overflow_policy.load(), 0U);
      EXPECT_EQ(own_segment().control().service.block_timeout_ms.load(), 100U);
      EXPECT_EQ(own_segment().control().service.level.load(), 1U);
      EXPECT_EQ(own_segment().header().cost_sampling, 0U);
      EXPECT_EQ(own_segment().data(0).size(), 1U);
    });
    EXPECT_EQ(status, 0) << bad.name << "=" << bad.value;
  }
}

PROCESS_TEST(Environment, InvalidOptionsAreReportedInOneLineEachAndTheDefaultsApply) {
  Options options;
  options.ring_bytes = 1000;
  options.max_threads = 0;
  options.block_timeout = std::chrono::milliseconds(-1);
  options.absent_timeout = forever;
  options.cost_sampling = UINT32_MAX;
  options.mode = 0666;
  std::vector<std::string> lines;
  {
    const StderrCapture capture;
    init(options);
    lines = capture.lines();
  }
  EXPECT_EQ(lines.size(), 6U);
  EXPECT_EQ(own_segment().header().cost_sampling, 0U);
  EXPECT_EQ(own_segment().header().ring_bytes, 1U << 20);
  EXPECT_EQ(own_segment().header().ring_count, 1024U);
  EXPECT_EQ(own_segment().control().service.block_timeout_ms.load(), 100U);
}

struct AbsentTimeout {
  const char* block;
  const char* absent;
  std::chrono::milliseconds block_option;
  std::chrono::milliseconds absent_option;
  std::uint32_t result_ms;
};

constexpr std::chrono::milliseconds kUnset(-1);

constexpr AbsentTimeout kAbsentTimeouts[] = {
    {nullptr, "33", std::chrono::milliseconds(11), kUnset, 33},
    {nullptr, "33", forever, std::chrono::milliseconds(22), 33},
    {nullptr, nullptr, std::chrono::milliseconds(11), std::chrono::milliseconds(22), 22},
    {nullptr, nullptr, forever, kUnset, 100},
    {"forever", nullptr, std::chrono::milliseconds(11), kUnset, 100},
    {"Forever", "0", std::chrono::milliseconds(11), kUnset, 0},
    {"44", nullptr, forever, kUnset, 44},
};

PROCESS_TEST(Environment, TheBoundWithoutAConsumerIsTheMostSpecificOne) {
  for (const AbsentTimeout& one : kAbsentTimeouts) {
    const int status = run_child([&one] {
      if (one.block != nullptr) set("RINGSIDE_BLOCK_TIMEOUT_MS", one.block);
      if (one.absent != nullptr) set("RINGSIDE_ABSENT_TIMEOUT_MS", one.absent);
      Options options;
      options.block_timeout = one.block_option;
      options.absent_timeout = one.absent_option;
      const StderrCapture capture;
      ASSERT_EQ(init(options).state, State::live);
      EXPECT_EQ(own_segment().control().service.block_timeout_ms.load(), one.result_ms);
      EXPECT_EQ(capture.lines().size(), 0U);
    });
    EXPECT_EQ(status, 0) << one.result_ms;
  }
}

PROCESS_TEST(Environment, AcceptsTheLimits) {
  set("RINGSIDE_RING_BYTES", "65536");
  set("RINGSIDE_MAX_THREADS", "65536");
  set("RINGSIDE_BLOCK_TIMEOUT_MS", "0");
  set("RINGSIDE_LEVEL", "off");
  const StderrCapture capture;
  ASSERT_EQ(init().state, State::live);
  EXPECT_EQ(own_segment().header().ring_count, 65536U);
  EXPECT_EQ(own_segment().control().service.block_timeout_ms.load(), 0U);
  RS_CRITICAL("nothing passes a threshold of off");
  EXPECT_EQ(own_segment().rings_used(), 0U);
  EXPECT_EQ(capture.lines().size(), 0U);
}

PROCESS_TEST(Environment, SizesHaveSuffixes) {
  for (const auto& [text, bytes] : {std::pair<const char*, std::uint64_t>{"64K", 65536},
                                    {"2048K", 2U << 20},
                                    {"8M", 8U << 20},
                                    {"1G", 1U << 30}}) {
    EXPECT_EQ(run_child([text = text, bytes = bytes] {
                set("RINGSIDE_RING_BYTES", text);
                const StderrCapture capture;
                ASSERT_EQ(init().state, State::live);
                EXPECT_EQ(own_segment().header().ring_bytes, bytes);
                EXPECT_EQ(capture.lines().size(), 0U);
              }),
              0)
        << text;
  }
}

PROCESS_TEST(Environment, DisabledCreatesNothing) {
  set("RINGSIDE_DISABLE", "1");
  int evaluated = 0;
  RS_INFO("%d", ++evaluated);
  EXPECT_EQ(init().state, State::disabled);
  EXPECT_FALSE(preallocate());
  RS_INFO("%d", ++evaluated);
  set_level(Level::trace);
  RS_INFO("%d", ++evaluated);
  EXPECT_EQ(evaluated, 0);
  EXPECT_TRUE(flush(std::chrono::milliseconds(0)));
  EXPECT_EQ(status().state, State::disabled);
  EXPECT_EQ(status().refused, 0U);
  EXPECT_TRUE(status().segment_path.empty());
  EXPECT_TRUE(std::filesystem::is_empty(shm_dir()));
  EXPECT_EQ(run_child([] {
              RS_INFO("nor in a child");
              EXPECT_TRUE(std::filesystem::is_empty(shm_dir()));
            }),
            0);
}

PROCESS_TEST(Environment, DisableZeroDoesNotDisable) {
  set("RINGSIDE_DISABLE", "0");
  RS_INFO("on");
  EXPECT_EQ(status().state, State::live);
}

PROCESS_TEST(Environment, ServiceNameIsMadeSafeForAFileName) {
  set("RINGSIDE_SERVICE", "../my service.é/1");
  ASSERT_EQ(init().state, State::live);
  EXPECT_TRUE(file_name().starts_with("ringside.___my_service____1.")) << file_name();
  EXPECT_EQ(shm::service_of_segment_name(file_name()), "___my_service____1");
  EXPECT_EQ(std::filesystem::path(status().segment_path).parent_path(), shm_dir());
  EXPECT_STREQ(own_segment().header().service, "../my service.é/1");
}

PROCESS_TEST(Environment, ALongServiceNameIsCut) {
  const std::string name(300, 'n');
  set("RINGSIDE_SERVICE", name.c_str());
  ASSERT_EQ(init().state, State::live);
  EXPECT_EQ(shm::service_of_segment_name(file_name()), name.substr(0, shm::kMaxServiceBytes));
}

PROCESS_TEST(Environment, ServiceDefaultsToTheExecutablesName) {
  ASSERT_EQ(init().state, State::live);
  const std::string exe = std::filesystem::read_symlink("/proc/self/exe").filename();
  EXPECT_STREQ(own_segment().header().service, exe.c_str());
}

PROCESS_TEST(Environment, AnUnusableDirectoryIsReportedOnceWithItsRemedy) {
  set("RINGSIDE_SHM_DIR", "/nonexistent/directory");
  std::vector<std::string> lines;
  {
    const StderrCapture capture;
    errno = 4321;
    for (int i = 0; i < 10; ++i) RS_INFO("%d", i);
    EXPECT_EQ(errno, 4321);
    lines = capture.lines();
  }
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("/nonexistent/directory"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("RINGSIDE_SHM_DIR"), std::string::npos) << lines[0];
  EXPECT_EQ(status().state, State::failed);
  EXPECT_EQ(status().refused, 10U);
  EXPECT_NE(status().message.find("cannot create"), std::string::npos) << status().message;
}

void log_at_three_levels() {
  RS_DEBUG("switched debug");
  RS_WARNING("switched warning");
  RS_CRITICAL("switched critical");
}

PROCESS_TEST(Environment, LevelSwitchesStatementsThatNeverRan) {
  set("RINGSIDE_LEVEL", "warning");
  init();
  SegmentReader& segment = own_segment();
  const std::uint32_t debug = segment.site("switched debug").id;
  const std::uint32_t warning = segment.site("switched warning").id;
  const std::uint32_t critical = segment.site("switched critical").id;
  EXPECT_EQ(segment.site_switch(debug), 0);
  EXPECT_EQ(segment.site_switch(warning), 1);
  set_level(Level::critical);
  EXPECT_EQ(segment.site_switch(warning), 0);
  EXPECT_EQ(segment.site_switch(critical), 1);
  EXPECT_EQ(segment.control().service.level.load(), 7U);
  log_at_three_levels();
  EXPECT_EQ(segment.data(0).size(), 1U);
  set_level(Level::trace);
  EXPECT_EQ(segment.site_switch(debug), 1);
  log_at_three_levels();
  EXPECT_EQ(segment.data(0).size(), 4U);
  set_level(Level::off);
  log_at_three_levels();
  EXPECT_EQ(segment.data(0).size(), 4U);
}

PROCESS_TEST(Environment, AllStatementsAreInTheDictionaryFromTheStart) {
  init();
  EXPECT_EQ(own_segment().count_sites("switched critical"), 1U);
  EXPECT_EQ(own_segment().control().service.site_count.load(), own_segment().sites().size());
  EXPECT_EQ(own_segment().site_switch(0), shm::kSwitchUnregistered);
}

PROCESS_TEST(Environment, LevelSetBeforeTheFirstRecordApplies) {
  set_level(Level::error);
  log_at_three_levels();
  EXPECT_EQ(own_segment().data(0).size(), 1U);
}

}  // namespace
}  // namespace ringside::test
