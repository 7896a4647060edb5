// --cpu auto: which processors are near producers, and that the poll loop moves there.

#include "consumerd/placement/placement.hpp"

#include <filesystem>
#include <fstream>
#include <sched.h>
#include <string>

#include <gtest/gtest.h>

#include "consumerd/placement/near_processors.hpp"
#include "consumerd/placement/processor_map.hpp"
#include "tests/consumerd/temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

using namespace consumer;

ProcessorSet set_of(const std::string& list) {
  const auto set = parse_processor_list(list);
  EXPECT_TRUE(set) << list;
  return set.value_or(ProcessorSet{});
}

std::string near(const ProcessorMap& map, const std::string& allowed,
                 const BytesByProcessor& producers) {
  return processor_list(near_processors(map, set_of(allowed), producers));
}

// Two nodes with two last-level caches each, of two cores with two threads each.
ProcessorMap large_machine() {
  ProcessorMap map;
  for (const char* core : {"0,8", "1,9", "2,10", "3,11", "4,12", "5,13", "6,14", "7,15"}) {
    map.cores.push_back(set_of(core));
  }
  for (const char* cache : {"0-1,8-9", "2-3,10-11", "4-5,12-13", "6-7,14-15"}) {
    map.caches.push_back(set_of(cache));
  }
  for (const char* node : {"0-3,8-11", "4-7,12-15"}) map.nodes.push_back(set_of(node));
  return map;
}

TEST(ProcessorList, ReadsTheListsOfLinux) {
  EXPECT_EQ(processor_list(set_of("0-3,8")), "0-3,8");
  EXPECT_EQ(processor_list(set_of("5,6,7,9")), "5-7,9");
  EXPECT_EQ(processor_list(set_of("")), "");
  EXPECT_EQ(set_of("1023").count(), 1U);
}

TEST(ProcessorList, RefusesWhatCannotBe) {
  for (const char* list :
       {"1024", "0-1024", "3-1", "x", "1,", ",1", "1-", "-1", "1 2", "99999999999999999999"}) {
    EXPECT_FALSE(parse_processor_list(list)) << list;
  }
}

TEST(NearProcessors, SharesTheCacheWithTheProducersOfMostBytes) {
  const ProcessorMap map = large_machine();
  EXPECT_EQ(near(map, "0-15", {{4, 100}, {0, 99}}), "5,13");
  EXPECT_EQ(near(map, "0-15", {{4, 100}, {0, 99}, {1, 2}}), "8-9") << "both cores are taken";
}

TEST(NearProcessors, AvoidsCoresThenProcessorsOfProducers) {
  const ProcessorMap map = large_machine();
  EXPECT_EQ(near(map, "0-15", {{2, 10}}), "3,11");
  EXPECT_EQ(near(map, "0-15", {{2, 10}, {3, 10}}), "10-11") << "the other threads of their cores";
  EXPECT_EQ(near(map, "0-15", {{2, 1}, {3, 1}, {10, 1}, {11, 1}}), "2-3,10-11");
}

TEST(NearProcessors, UsesOnlyWhatIsAllowed) {
  const ProcessorMap map = large_machine();
  EXPECT_EQ(near(map, "1,4-7", {{0, 10}}), "1");
  EXPECT_EQ(near(map, "2,4-7", {{0, 10}}), "2") << "no processor of the cache: the node";
  EXPECT_EQ(near(map, "4-7", {{0, 10}}), "") << "nothing is near";
}

TEST(NearProcessors, NeedsProducersAndAMap) {
  EXPECT_EQ(near(large_machine(), "0-15", {}), "");
  EXPECT_EQ(near(large_machine(), "0-15", {{0, 0}, {70000, 5}}), "");
  EXPECT_EQ(near({}, "0-15", {{0, 10}}), "");
}

class SystemFiles : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& line) {
    const std::filesystem::path file = dir_.path() + "/" + name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << line << '\n';
  }
  void write_processor(int number, const std::string& core, const std::string& cache) {
    const std::string of = "cpu/cpu" + std::to_string(number) + "/";
    write(of + "topology/thread_siblings_list", core);
    write(of + "cache/index0/level", "1");
    write(of + "cache/index0/type", "Data");
    write(of + "cache/index0/shared_cpu_list", core);
    write(of + "cache/index3/level", "3");
    write(of + "cache/index3/type", "Unified");
    write(of + "cache/index3/shared_cpu_list", cache);
  }

  TemporaryDirectory dir_;
};

TEST_F(SystemFiles, AreReadWhateverElseIsThere) {
  write_processor(0, "0-1", "0-1");
  write_processor(1, "0-1", "0-1");
  write_processor(2, "2-3", "2-3");
  write_processor(3, "damaged", "2-3");
  write("cpu/cpufreq/policy0", "x");
  write("cpu/cpu4/online", "0");
  write("node/node0/cpulist", "0-3");
  write("node/possible", "0");
  const ProcessorMap map = ProcessorMap::read(dir_.path());
  EXPECT_EQ(map.cores.size(), 2U);
  EXPECT_EQ(map.caches.size(), 2U);
  ASSERT_EQ(map.nodes.size(), 1U);
  EXPECT_EQ(processor_list(map.nodes[0]), "0-3");
}

TEST_F(SystemFiles, MissingOnesGiveAnEmptyMap) {
  const ProcessorMap map = ProcessorMap::read(dir_.path() + "/none");
  EXPECT_TRUE(map.cores.empty() && map.caches.empty() && map.nodes.empty());
}

std::size_t processors_of_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  return static_cast<std::size_t>(CPU_COUNT(&set));
}

// Each processor of the machine is a core and has a cache of its own.
TEST_F(SystemFiles, AThreadMovesAfterTwoEqualChoices) {
  cpu_set_t own;
  ASSERT_EQ(sched_getaffinity(0, sizeof own, &own), 0);
  if (CPU_COUNT(&own) < 2) GTEST_SKIP() << "needs two processors";
  std::vector<std::uint32_t> processors;
  for (std::uint32_t i = 0; i < CPU_SETSIZE; ++i) {
    if (!CPU_ISSET(i, &own)) continue;
    processors.push_back(i);
    write_processor(static_cast<int>(i), std::to_string(i), std::to_string(i));
  }
  const Log log(false, LogFormat::kText);
  Placement placement(log);
  placement.begin(dir_.path());
  ASSERT_TRUE(placement.is_on());
  const std::size_t all = processors.size();
  placement.follow({{processors[0], 10}});
  EXPECT_EQ(processors_of_thread(), all) << "one choice is not enough";
  placement.follow({{processors[1], 10}});
  EXPECT_EQ(processors_of_thread(), all) << "another choice";
  placement.follow({{processors[1], 10}});
  EXPECT_EQ(processors_of_thread(), 1U);
  EXPECT_EQ(sched_getcpu(), static_cast<int>(processors[1]));
  placement.follow({});
  EXPECT_EQ(processors_of_thread(), 1U) << "nothing was recorded: stay";
  placement.follow({{processors[0], 10}});
  placement.follow({{processors[0], 10}});
  EXPECT_EQ(sched_getcpu(), static_cast<int>(processors[0])) << "of all that were allowed at first";
  ASSERT_EQ(sched_setaffinity(0, sizeof own, &own), 0);
}

TEST_F(SystemFiles, WithoutThemNothingMoves) {
  const std::size_t all = processors_of_thread();
  const Log log(false, LogFormat::kText);
  Placement placement(log);
  placement.begin(dir_.path() + "/none");
  EXPECT_FALSE(placement.is_on());
  placement.follow({{0, 10}});
  placement.follow({{0, 10}});
  EXPECT_EQ(processors_of_thread(), all);
}

}  // namespace
}  // namespace ringside::consumer_test
