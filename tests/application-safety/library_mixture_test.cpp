// Programs and libraries that link Ringside as a shared library, contain it, or are loaded and
// unloaded with it.

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

std::string path_in(const char* variable) {
  const char* const path = std::getenv(variable);
  return path != nullptr ? path : "";
}

// The messages of all segments, each as "format value".
Values messages() {
  Values found;
  for (const std::string& path : segments_in(shm_dir())) {
    SegmentReader segment(path);
    for (std::uint32_t i = 0; i < segment.rings_used(); ++i) {
      for (const Record& r : segment.data(i)) {
        found.push_back(segment.sites().at(r.code).format + " " + r.values.at(0));
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

Values hundred_of_each(int libraries) {
  Values expected;
  for (int i = 0; i < 100 * libraries; ++i) {
    expected.push_back("C plug-in %d i32 " + std::to_string(i % 100));
  }
  std::sort(expected.begin(), expected.end());
  return expected;
}

PROCESS_TEST(LibraryMixture, TwoThatContainRingsideComeAndGoBesideEachOther) {
  const int status = run_program(path_in("RINGSIDE_TEST_PLUGIN_HOST"),
                                 {path_in("RINGSIDE_TEST_FIRST_SELF_CONTAINED"),
                                  path_in("RINGSIDE_TEST_SECOND_SELF_CONTAINED")});
  EXPECT_EQ(status, 0) << "exit status " << WEXITSTATUS(status) << ", signal " << WTERMSIG(status);
  EXPECT_EQ(messages(), hundred_of_each(2));
}

PROCESS_TEST(LibraryMixture, OneThatContainsItAndOneThatSharesIt) {
  const int status = run_program(
      path_in("RINGSIDE_TEST_PLUGIN_HOST"),
      {path_in("RINGSIDE_TEST_SHARED_PLUGIN"), path_in("RINGSIDE_TEST_FIRST_SELF_CONTAINED")});
  EXPECT_EQ(status, 0) << "exit status " << WEXITSTATUS(status) << ", signal " << WTERMSIG(status);
  EXPECT_EQ(messages(), hundred_of_each(2));
}

PROCESS_TEST(LibraryMixture, AContainedCopyInAProgramThatSharesRingside) {
  RS_INFO("C plug-in %d", -1);
  void* const library =
      dlopen(path_in("RINGSIDE_TEST_FIRST_SELF_CONTAINED").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto log = reinterpret_cast<void (*)(int)>(dlsym(library, "c_plugin_log"));
  ASSERT_NE(log, nullptr);
  for (int i = 0; i < 100; ++i) log(i);
  RS_INFO("C plug-in %d", -1);
  EXPECT_EQ(dlclose(library), 0);
  RS_INFO("C plug-in %d", -1);
  Values expected = hundred_of_each(1);
  expected.insert(expected.end(), 3, "C plug-in %d i32 -1");
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(messages(), expected);
}

Values last_words(const std::vector<std::string>& arguments) {
  const int status = run_program(path_in("RINGSIDE_TEST_EXIT_ORDER"), arguments);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  const std::vector<std::string> paths = segments_in(shm_dir());
  EXPECT_EQ(paths.size(), 1U);
  SegmentReader segment(paths.at(0));
  Values found;
  for (std::uint32_t i = 0; i < segment.rings_used(); ++i) {
    for (const Record& r : segment.data(i)) {
      if (segment.sites().at(r.code).format == "%s") found.push_back(r.values.at(0));
    }
  }
  return found;
}

const Values kExitOrder = {"string before exit", "string thread-local destructor",
                           "string exit handler", "string static destructor"};

PROCESS_TEST(LibraryMixture, EverythingThatRunsAfterExitBeganMayLog) {
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  EXPECT_EQ(last_words({}), kExitOrder);
}

PROCESS_TEST(LibraryMixture, AnyThreadMayCallExitWhileOthersLog) {
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  EXPECT_EQ(last_words({"thread"}), kExitOrder);
}

}  // namespace
}  // namespace ringside::test
