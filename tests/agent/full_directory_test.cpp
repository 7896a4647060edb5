// A full shared-memory directory: segments, rings and statements are refused and counted, without a
// signal.

#include <array>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/site_switch.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/small_directory.hpp"

namespace ringside::test {
namespace {

void log_number(int number) {
  RS_INFO("number %d", number);
}

// After a refusal the library tries again only after some time.
void log_until_recorded() {
  wait_until([] {
    log_number(77);
    return !status().segment_path.empty() && own_segment().rings_used() > 0 &&
           !own_segment().data(0).empty();
  });
}

PROCESS_TEST(FullDirectory, RefusesASegmentThatDoesNotFit) {
  SMALL_DIRECTORY(dir, "80k");
  std::vector<std::string> lines;
  {
    const StderrCapture capture;
    for (int i = 0; i < 100; ++i) log_number(i);
    lines = capture.lines();
  }
  EXPECT_EQ(lines.size(), 1U);
  EXPECT_EQ(status().state, State::failed);
  EXPECT_EQ(status().refused, 100U);
  EXPECT_NE(status().message.find("no memory for " + shm_dir()), std::string::npos);
  EXPECT_NE(status().message.find("--shm-size"), std::string::npos);
  EXPECT_TRUE(segments_in(shm_dir()).empty()) << "no incomplete file is left";
  dir.resize("64m");
  log_until_recorded();
  EXPECT_EQ(status().state, State::live);
  EXPECT_EQ(status().message, "");
}

PROCESS_TEST(FullDirectory, RefusesTheFirstRing) {
  SMALL_DIRECTORY(dir, "152k");
  for (int i = 0; i < 100; ++i) log_number(i);
  EXPECT_EQ(status().state, State::live);
  EXPECT_EQ(status().refused, 100U);
  EXPECT_EQ(own_segment().control().losses.no_memory.load(), 100U);
  EXPECT_EQ(own_segment().rings_used(), 0U);
  EXPECT_NE(status().message.find("no memory for a ring of 1048576 bytes"), std::string::npos)
      << status().message;
  EXPECT_NE(status().message.find("RINGSIDE_RING_BYTES"), std::string::npos);
  dir.resize("64m");
  log_until_recorded();
  EXPECT_EQ(status().message, "");
}

PROCESS_TEST(FullDirectory, RefusesTheSecondRing) {
  SMALL_DIRECTORY(dir, "172k");
  for (int i = 0; i < 100; ++i) log_number(i);
  EXPECT_EQ(own_segment().data(0).size(), 100U);
  std::thread([] {
    for (int i = 0; i < 100; ++i) log_number(i);
  }).join();
  EXPECT_EQ(status().refused, 100U);
  EXPECT_EQ(own_segment().rings_used(), 1U);
  log_number(100);
  EXPECT_EQ(own_segment().data(0).size(), 101U) << "the first thread keeps logging";
  dir.resize("64m");
  wait_until([] {
    std::thread([] { log_number(1); }).join();
    return own_segment().rings_used() == 2;
  });
}

// The plug-in has more statements than the dictionary has memory for.
PROCESS_TEST(FullDirectory, RefusesStatementsBeyondTheDictionary) {
  SMALL_DIRECTORY(dir, "64m");
  log_number(0);
  dir.fill_up(0);
  void* const plugin = dlopen(std::getenv("RINGSIDE_TEST_MANY_STATEMENTS"), RTLD_NOW);
  ASSERT_NE(plugin, nullptr) << dlerror();
  EXPECT_EQ(losses(), 0U) << "loading a statement does not count as a lost record";
  void* const symbol = dlsym(plugin, "log_every_statement");
  ASSERT_NE(symbol, nullptr);
  const auto log_every_statement = reinterpret_cast<int (*)()>(symbol);
  const auto statements = static_cast<std::uint64_t>(log_every_statement());
  std::uint64_t found = own_segment().data(0).size() - 1;
  EXPECT_LT(found, statements);
  EXPECT_EQ(found + status().refused, statements);
  EXPECT_EQ(own_segment().control().losses.no_memory.load(), status().refused);
  EXPECT_NE(status().message.find("no memory for the dictionary"), std::string::npos)
      << status().message;
  log_number(1);
  EXPECT_EQ(own_segment().data(0).size(), found + 2) << "known statements are still recorded";
  dir.make_room();
  wait_until([&] {
    const std::uint64_t before = own_segment().data(0).size();
    log_every_statement();
    return own_segment().data(0).size() == before + statements;
  });
  EXPECT_EQ(status().message, "");
}

// The counters of 256 statements have memory as soon as the segment exists.
PROCESS_TEST(FullDirectory, AStatementWithoutACounterIsNotCounted) {
  SMALL_DIRECTORY(dir, "64m");
  log_number(0);
  dir.fill_up(0);
  static std::array<rs_site, 300> sites{};
  for (rs_site& site : sites) {
    site.state = &rs_initial_switch;
    site.format = "short";
    site.file = "f";
    site.function = "f";
    site.arguments = "";
    site.level = static_cast<std::uint8_t>(Level::info);
    rs_site* const listed = &site;
    rs_sites_loaded(&listed, &listed + 1);
  }
  SegmentReader& segment = own_segment();
  ASSERT_EQ(segment.control().losses.sites_with_executions.load(), 256U);
  for (rs_site& site : sites) {
    ASSERT_NE(site.id, 0U);
    segment.set_site_switch(static_cast<std::uint32_t>(site.id), shm::kSwitchCounting);
    EXPECT_EQ(rs_site_enabled(&site), 0);
    rs_count_suppressed(&site, 2);
    if (site.id >= 256) continue;  // a page without memory
    const auto executions = segment.executions(static_cast<std::uint32_t>(site.id));
    EXPECT_EQ(executions.counted, 1U) << site.id;
    EXPECT_EQ(executions.suppressed, 2U) << site.id;
  }
}

}  // namespace
}  // namespace ringside::test
