#include "tools/interop/method_names.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ringside::tool {
namespace {

TEST(MethodNames, OfOverlappingMethodsTheOneAddedLastCounts) {
  std::mt19937 random(3);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
  for (unsigned round = 0; round < 300; ++round) {
    MethodNames names;
    std::vector<std::string> expected(140);
    const std::uint64_t methods = 1 + random() % 12;
    for (std::uint64_t i = 0; i < methods; ++i) {
      const std::uint64_t start = random() % 100;
      const std::uint64_t bytes = random() % 40;
      const std::string name = "m" + std::to_string(i);
      EXPECT_TRUE(names.add({i, 0, start, bytes}, "T", name));
      for (std::uint64_t at = start; at < start + bytes; ++at) expected[at] = "T." + name;
    }
    names.finish();
    for (std::uint64_t at = 0; at < expected.size(); ++at) {
      EXPECT_EQ(names.name_at(at), expected[at]) << "round " << round << " at " << at;
    }
  }
}

TEST(MethodNames, NamesHaveModulesWhereTheseAreKnown) {
  MethodNames names;
  names.add({1, 7, 0x1000, 16}, "N.Type", "Run");
  names.add({2, 8, 0x2000, 16}, "N.Type", ".ctor");
  names.add({3, 9, 0x3000, 16}, "", "IL_STUB");
  names.add({4, 7, 0x4000, 16}, "", "");
  names.add({5, 7, 0x5000, 16}, "", "");
  names.add({6, 7, UINT64_MAX - 8, UINT64_MAX}, "", "Last");
  names.add_name(4, "Late", "Name");
  names.add_module(7, "C:\\app\\Some.App.dll");
  names.add_module(8, "/usr/share/dotnet/Lib.1");
  names.add_module(9, "");
  names.finish();
  EXPECT_EQ(names.name_at(0xFFF), "");
  EXPECT_EQ(names.name_at(0x1000), "Some.App!N.Type.Run");
  EXPECT_EQ(names.name_at(0x100F), "Some.App!N.Type.Run");
  EXPECT_EQ(names.name_at(0x1010), "");
  EXPECT_EQ(names.name_at(0x2000), "Lib.1!N.Type..ctor");
  EXPECT_EQ(names.name_at(0x3000), "IL_STUB");
  EXPECT_EQ(names.name_at(0x4000), "Some.App!Late.Name");
  EXPECT_EQ(names.name_at(0x5000), "");
  EXPECT_EQ(names.name_at(UINT64_MAX - 8), "Some.App!Last");
}

TEST(MethodNames, AnAddressInNoMethodHasTheNameOfTheEntryBeforeIt) {
  constexpr std::uint64_t kMost = MethodNames::kMostEntryBytes;
  MethodNames names;
  names.add_name(1, "T", "First");
  names.add_name(2, "T", "Second");
  names.add_name(3, "T", "Third");
  names.add_entry(1, 0x10000);
  names.add_entry(3, 0x10100);
  names.add_entry(2, 0x10100);
  names.add_entry(3, 0x20000);
  names.add_entry(4, 0x30000);
  names.add_entry(3, 0);
  names.add({5, 0, 0x20010, 0x10}, "T", "Method");
  names.finish();
  EXPECT_EQ(names.name_of_entry_before(0xFFFF), "");
  EXPECT_EQ(names.name_of_entry_before(0x10000), "~T.First");
  EXPECT_EQ(names.name_of_entry_before(0x100FF), "~T.First");
  EXPECT_EQ(names.name_of_entry_before(0x10100), "~T.Second");
  EXPECT_EQ(names.name_of_entry_before(0x10100 + kMost), "~T.Second");
  EXPECT_EQ(names.name_of_entry_before(0x10101 + kMost), "");
  EXPECT_EQ(names.name_of_entry_before(0x2000F), "~T.Third");
  EXPECT_EQ(names.name_at(0x20010), "T.Method");
  EXPECT_EQ(names.name_of_entry_before(0x20020), "") << "a method is between the two";
  EXPECT_EQ(names.name_of_entry_before(0x30000), "") << "its name is unknown";
  EXPECT_EQ(names.name_of_entry_before(5), "");
}

TEST(MethodNames, AMillionMethodsAreFound) {
  MethodNames names;
  constexpr std::uint64_t kMethods = 1'000'000;
  for (std::uint64_t i = 0; i < kMethods; ++i) {
    const std::uint64_t n = i * 7919 % kMethods;  // not sorted
    ASSERT_TRUE(names.add({n, 0, n * 32, 24}, "T", std::to_string(n)));
  }
  names.finish();
  for (std::uint64_t n = 0; n < kMethods; n += 997) {
    EXPECT_EQ(names.name_at(n * 32 + 23), "T." + std::to_string(n));
    EXPECT_EQ(names.name_at(n * 32 + 24), "");
  }
}

}  // namespace
}  // namespace ringside::tool
