// The modules of a process, from records that services repeat.

#include "tools/crash/recorded_modules.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tools/crash/stack_text.hpp"

namespace ringside::tool {
namespace {

MappedCode module_at(std::uint64_t begin, const std::string& path) {
  return {begin, begin + 0x1000, 0, begin, path, "c0ffee"};
}

TEST(RecordedModules, ARepeatedModuleIsKeptOnce) {
  std::vector<MappedCode> modules;
  for (int i = 0; i < 20'000; ++i) {
    add_module(modules, module_at(0x1000, "service"));
    add_module(modules, module_at(0x2000, "library"));
  }
  EXPECT_EQ(modules.size(), 2U);
  add_module(modules, module_at(0x3000, "plugin"));
  EXPECT_EQ(modules.size(), 3U) << "the repeated records used up the places";
}

TEST(RecordedModules, ALaterModuleReplacesAnEarlierOneAtItsPlace) {
  std::vector<MappedCode> modules;
  for (const char* const path : {"old", "new", "old"}) {
    add_module(modules, module_at(0x1000, path));
    const MappedCode* const found = module_of(modules, 0x1800);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->path, path);
  }
  MappedCode rebuilt = module_at(0x1000, "old");
  rebuilt.build_id = "decade";
  add_module(modules, MappedCode(rebuilt));
  EXPECT_EQ(module_of(modules, 0x1800)->build_id, "decade");
}

TEST(RecordedModules, AreBounded) {
  std::vector<MappedCode> modules;
  for (std::uint64_t i = 1; i <= 11'000; ++i) add_module(modules, module_at(i << 12, "library"));
  EXPECT_EQ(modules.size(), 10'000U);
}

}  // namespace
}  // namespace ringside::tool
