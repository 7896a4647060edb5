// What /proc says of a thread, and what it says while the kernel removes it.
#include "tools/scheduling/thread_facts.hpp"

#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

namespace ringside::tool {
namespace {

std::optional<std::uint32_t> id_in(const std::string& status) {
  std::istringstream in(status);
  return inner_thread_id_of(in);
}

TEST(ThreadFacts, InnermostNumberIsTheLast) {
  EXPECT_EQ(id_in("Name:\tworker\nNSpid:\t4711\t17\t3\nThreads:\t2\n"), 3U);
  EXPECT_EQ(id_in("NSpid:\t4711\n"), 4711U);
}

TEST(ThreadFacts, ThreadThatIsBeingRemovedHasNoNumber) {
  EXPECT_FALSE(id_in("Name:\tbrief\nNSpid:\t0\n"));
  EXPECT_FALSE(id_in("NSpid:\t4711\t0\n"));
  EXPECT_FALSE(id_in("NSpid:\t\n"));
  EXPECT_FALSE(id_in(""));
}

TEST(ThreadFacts, ThisThreadHasItsOwnNumber) {
  const auto id = static_cast<std::uint32_t>(gettid());
  EXPECT_TRUE(inner_thread_id(getpid(), id).has_value());
  EXPECT_FALSE(inner_thread_id(getpid(), 0));
}

}  // namespace
}  // namespace ringside::tool
