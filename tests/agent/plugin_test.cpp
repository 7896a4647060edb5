// Libraries that are loaded and unloaded while the process runs.

#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

class Library {
 public:
  explicit Library(const char* variable) : handle_(dlopen(std::getenv(variable), RTLD_NOW)) {
    EXPECT_NE(handle_, nullptr) << dlerror();
  }
  ~Library() { EXPECT_EQ(dlclose(handle_), 0); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  void log(const char* function, int number) const {
    reinterpret_cast<void (*)(int)>(dlsym(handle_, function))(number);
  }

 private:
  void* handle_;
};

PROCESS_TEST(Plugin, IsRegisteredAtLoad) {
  init();
  EXPECT_EQ(own_segment().count_sites("plug-in %d"), 0U);
  const Library plugin("RINGSIDE_TEST_PLUGIN");
  EXPECT_EQ(own_segment().count_sites("plug-in %d"), 1U);
  EXPECT_EQ(own_segment().count_sites("plug-in, unused %d"), 1U);
  plugin.log("plugin_log", 3);
  EXPECT_EQ(last_values(), std::vector<std::string>{"i32 3"});
}

PROCESS_TEST(Plugin, ObeysTheLevelSetBeforeItsLoad) {
  init();
  set_level(Level::info);
  const Library plugin("RINGSIDE_TEST_PLUGIN");
  EXPECT_EQ(own_segment().site_switch(own_segment().site("plug-in %d").id), 1);
  EXPECT_EQ(own_segment().site_switch(own_segment().site("plug-in, unused %d").id), 0);
}

PROCESS_TEST(Plugin, LeavesItsEntriesAndRecordsBehind) {
  {
    const Library plugin("RINGSIDE_TEST_PLUGIN");
    plugin.log("plugin_log", 1);
  }
  {
    const Library plugin("RINGSIDE_TEST_C_PLUGIN");
    plugin.log("c_plugin_log", 2);
  }
  // These calls walk the list of statements, which must not lead into unmapped memory.
  set_level(Level::error);
  set_level(Level::trace);
  RS_INFO("after dlclose");
  EXPECT_EQ(run_child([] { RS_INFO("in a child"); }), 0);
  const std::vector<Record> data = own_segment().data(0);
  ASSERT_EQ(data.size(), 3U);
  EXPECT_EQ(own_segment().sites().at(data[0].code).format, "plug-in %d");
  EXPECT_EQ(own_segment().sites().at(data[1].code).format, "C plug-in %d");
}

PROCESS_TEST(Plugin, MayComeAndGoManyTimes) {
  for (int i = 0; i < 50; ++i) {
    const Library plugin("RINGSIDE_TEST_PLUGIN");
    const Library c_plugin("RINGSIDE_TEST_C_PLUGIN");
    plugin.log("plugin_log", i);
    c_plugin.log("c_plugin_log", i);
  }
  EXPECT_EQ(own_segment().data(0).size(), 100U);
}

PROCESS_TEST(Plugin, MayMakeTheFirstRecordOfTheProcess) {
  const Library plugin("RINGSIDE_TEST_C_PLUGIN");
  plugin.log("c_plugin_log", 9);
  EXPECT_EQ(last_values(), std::vector<std::string>{"i32 9"});
}

}  // namespace
}  // namespace ringside::test
