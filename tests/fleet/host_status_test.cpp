#include "tools/fleet/host_status.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tools/fleet/fleet_status.hpp"

namespace ringside::fleet {
namespace {

HostStatus example() {
  HostStatus status;
  status.tenant = "t";
  status.host = "h";
  status.version = "1 \"x\"";
  status.unix_ns = 7;
  status.interval_ms = 5000;
  status.lag_bytes = UINT64_MAX;
  status.lost = 3;
  return status;
}

TEST(HostStatus, ComesBackFromItsText) {
  const std::string text = write_host_status(example());
  HostStatus read;
  read.tenant = "kept";
  ASSERT_TRUE(read_host_status(text, read));
  EXPECT_EQ(read.tenant, "kept");
  EXPECT_EQ(read.version, "1 \"x\"");
  EXPECT_EQ(read.lag_bytes, UINT64_MAX);
  EXPECT_EQ(write_host_status(read), text);
}

TEST(HostStatus, InvalidTextsAreRefused) {
  const std::string text = write_host_status(example());
  HostStatus read;
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(read_host_status(text.substr(0, size), read)) << size;
  for (const char* const bad : {"[]", "1", "\"x\"", "{}", R"({"version":1})"})
    EXPECT_FALSE(read_host_status(bad, read)) << bad;
  std::string negative = text;
  negative.replace(negative.find("\"lost\":3"), 8, "\"lost\":-3");
  EXPECT_FALSE(read_host_status(negative, read));
  EXPECT_FALSE(read_host_status(std::string(kMostStatusBytes + 1, ' ') + text, read));
  // Deep nesting must not exhaust the stack.
  EXPECT_FALSE(read_host_status(std::string(kMostStatusBytes, '['), read));
}

TEST(HostStatus, SubjectStatesTenantAndHost) {
  HostStatus read;
  ASSERT_TRUE(read_status_subject(status_subject("a", "b c"), read));
  EXPECT_EQ(read.tenant, "a");
  EXPECT_EQ(read.host, "b_c");
  for (const char* const bad :
       {"rs.status", "rs.status.a", "rs.status.a.b.c", "rs.ext.a.b", "rs.status..b"})
    EXPECT_FALSE(read_status_subject(bad, read)) << bad;
}

TEST(FleetStatus, ComesBackFromItsLine) {
  FleetStatus status;
  status.stored_messages = 1;
  status.invalid = 2;
  status.hosts = {example()};
  status.sinks = {{"s", 3, 4}};
  FleetStatus read;
  ASSERT_TRUE(read_fleet_status(write_fleet_status(status), read));
  EXPECT_EQ(write_fleet_status(read), write_fleet_status(status));
  EXPECT_EQ(read.hosts.at(0).host, "h");
  EXPECT_FALSE(read_fleet_status("{}", read));
}

}  // namespace
}  // namespace ringside::fleet
