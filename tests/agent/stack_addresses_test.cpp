// The return addresses on the stack of a thread that runs normally.

#include <array>
#include <cstdint>

#include <gtest/gtest.h>

#include "libagent/include/ringside/stack_abi.h"
#include "tests/agent/process_test.hpp"

namespace ringside::test {
namespace {

constexpr std::size_t kMost = 8;

struct Addresses {
  std::array<const void*, kMost + 1> all{};
  std::uint32_t count = 0;
};

// One call for all numbers: another call would return to another address.
[[gnu::noinline]] Addresses addresses_here(std::uint32_t most) {
  Addresses found;
  found.count = rs_stack_addresses(found.all.data(), most);
  return found;
}

PROCESS_TEST(StackAddresses, BeginWithTheCallerForAnyNumber) {
  std::array<Addresses, kMost + 1> found;
  volatile std::uint32_t last = kMost;  // one call here, too: the loop is not unrolled
  for (std::uint32_t most = 0; most <= last; ++most) found[most] = addresses_here(most);
  for (std::uint32_t most = 0; most < kMost; ++most) {
    EXPECT_EQ(found[most].count, most);
    for (std::uint32_t i = 0; i < kMost; ++i) {
      const void* const expected = i < most ? found[kMost].all[i] : nullptr;
      EXPECT_EQ(found[most].all[i], expected) << most << " addresses, the one with index " << i;
    }
  }
  // The code of the test is far from that of the library.
  const auto distance = reinterpret_cast<std::intptr_t>(found[1].all[0]) -
                        reinterpret_cast<std::intptr_t>(&addresses_here);
  EXPECT_GT(distance, 0);
  EXPECT_LT(distance, 4096);
}

}  // namespace
}  // namespace ringside::test
