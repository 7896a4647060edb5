#include "tools/fleet/fleet_address.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tools/fleet/reader_request.hpp"

namespace ringside::fleet {
namespace {

FleetAddress parsed(const std::string& text) {
  FleetAddress address;
  std::string why;
  EXPECT_TRUE(parse_fleet_address(text, address, &why)) << why;
  return address;
}

TEST(FleetAddress, NamesServersHostAndService) {
  EXPECT_EQ(parsed("nats://a").servers, "nats://a");
  EXPECT_EQ(parsed("nats://a").host, "");
  const FleetAddress whole = parsed("tls://u:p@a:4222,b/web1/gate");
  EXPECT_EQ(whole.servers, "tls://u:p@a:4222,tls://b");
  EXPECT_EQ(whole.host, "web1");
  EXPECT_EQ(whole.service, "gate");
  EXPECT_EQ(parsed("nats://a/*/gate").host, "");
  EXPECT_EQ(parsed("nats://a/*/gate").service, "gate");
  EXPECT_EQ(parsed("nats://a/").host, "");
  EXPECT_EQ(parsed("nats://a/web1").snapshot, "");
  const FleetAddress snapshot = parsed("nats://u:p@a/*/gate?snapshot=20260102T030405-ab_c");
  EXPECT_EQ(snapshot.service, "gate");
  EXPECT_EQ(snapshot.snapshot, "20260102T030405-ab_c");
  EXPECT_EQ(parsed("nats://a/?snapshot=x").snapshot, "x");
  EXPECT_EQ(parsed("nats://u:p?@a?snapshot=x").snapshot, "x");
  EXPECT_EQ(parsed("nats://u:p?@a?snapshot=x").servers, "nats://u:p?@a");
}

TEST(FleetAddress, RefusesWhatIsNoAddress) {
  for (const char* const text : {"nats://", "nats:///web1", "nats://a,/web1", "nats://a/b/c/d",
                                 "nats://a/?", "nats://a/?snapshot=", "nats://a/?snapshot=a.b",
                                 "nats://a/?snapshot=>", "nats://a/?snap=x"}) {
    FleetAddress address;
    std::string why;
    EXPECT_FALSE(parse_fleet_address(text, address, &why)) << text;
    EXPECT_NE(why.find("nats://SERVER"), std::string::npos) << why;
  }
  EXPECT_FALSE(is_fleet_address("nats"));
  EXPECT_FALSE(is_fleet_address("http://a"));
}

TEST(FleetAddress, IsShownWithoutPassword) {
  EXPECT_EQ(shown_fleet_address("nats://u:secret@a,u:secret@b/web1"), "nats://a,b/web1");
  FleetAddress address;
  std::string why;
  EXPECT_FALSE(parse_fleet_address("nats://u:secret@a/b/c/d", address, &why));
  EXPECT_EQ(why.find("secret"), std::string::npos) << why;
}

TEST(ReaderRequest, ComesBackFromItsLine) {
  ReaderRequest request;
  request.what = ReaderRequest::What::kStatus;
  request.access.servers = "nats://a\n\"b\"";
  request.access.tenant = "t";
  request.host = "h";
  request.service = "s";
  request.snapshot = "x";
  request.begin = ReaderRequest::Begin::kTime;
  request.begin_ns = -7;
  request.follows = true;
  request.most_bytes = UINT64_MAX;
  request.interval_ms = 5;
  const std::string line = write_reader_request(request);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  ReaderRequest read;
  ASSERT_TRUE(read_reader_request(line, read));
  EXPECT_EQ(write_reader_request(read), line);
  EXPECT_EQ(read.access.servers, request.access.servers);
  EXPECT_EQ(read.snapshot, "x");
  EXPECT_EQ(read.most_bytes, request.most_bytes);
  EXPECT_FALSE(read_reader_request(line.substr(1), read));
  EXPECT_FALSE(read_reader_request("{}", read));
  EXPECT_FALSE(read_reader_request("[]", read));
}

}  // namespace
}  // namespace ringside::fleet
