// How connections are opened and authenticated.

#include "tools/fleet/nats_options.hpp"

#include <fstream>
#include <string>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include "tests/fleet/nats_server.hpp"
#include "tools/fleet/nats_connection.hpp"

namespace ringside::fleet {
namespace {

using test::NatsServer;

// From the documentation of NATS.
const char* const kSeed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
const char* const kNkey = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";

using Change = void (*)(NatsOptions& options);

std::string reason(const NatsOptions& options) {
  std::string why;
  EXPECT_EQ(NatsConnection::open(options, &why), nullptr);
  return why;
}

NatsOptions to(const std::string& servers) {
  NatsOptions options;
  options.servers = servers;
  return options;
}

TEST(NatsOptionsTest, RejectsInvalidOptions) {
  const auto expect = [](const char* words, Change change) {
    NatsOptions options;
    change(options);
    const std::string why = reason(options);
    EXPECT_NE(why.find(words), std::string::npos) << why;
  };
  expect("a URL is empty", [](NatsOptions& o) { o.servers = ""; });
  expect("a URL is empty", [](NatsOptions& o) { o.servers = "nats://a:1,,nats://b:1"; });
  expect("the scheme 'http://' is not supported", [](NatsOptions& o) { o.servers = "http://a:1"; });
  expect("invalid tenant 'a.b'", [](NatsOptions& o) { o.tenant = "a.b"; });
  expect("cannot read the credentials file '/nonexistent'",
         [](NatsOptions& o) { o.credentials_file = "/nonexistent"; });
  expect("--creds and --nkey exclude each other",
         [](NatsOptions& o) { o.credentials_file = o.nkey_seed_file = "/dev/null"; });
  expect("--tls-cert and --tls-key require each other",
         [](NatsOptions& o) { o.certificate_file = "/dev/null"; });
  expect("no user seed in the nkey seed file '/dev/null'",
         [](NatsOptions& o) { o.nkey_seed_file = "/dev/null"; });
}

TEST(NatsOptionsTest, UnreachableServerIsReportedWithoutPassword) {
  const std::string why = reason(to("nats://user:secret@127.0.0.1:1"));
  EXPECT_NE(why.find("cannot connect to nats://127.0.0.1:1: "), std::string::npos) << why;
  EXPECT_EQ(why.find("secret"), std::string::npos) << why;
}

TEST(NatsOptionsTest, UsesServerOfListThatIsReachable) {
  const NatsServer server;
  std::string why;
  EXPECT_NE(NatsConnection::open(to("nats://127.0.0.1:1, " + server.url()), &why), nullptr) << why;
}

TEST(NatsOptionsTest, AuthenticatesWithNkey) {
  const NatsServer server(std::string("authorization { users: [ { nkey: ") + kNkey + " } ] }");
  NatsOptions options = to(server.url());
  const std::string refused = reason(options);
  EXPECT_NE(refused.find("--creds or --nkey"), std::string::npos) << refused;
  options.nkey_seed_file = (server.directory() / "seed").string();
  std::ofstream(options.nkey_seed_file) << kSeed << "\n";
  std::string why;
  EXPECT_NE(NatsConnection::open(options, &why), nullptr) << why;
}

TEST(NatsOptionsTest, ReadsCommandLine) {
  NatsOptions options;
  CLI::App app;
  add_nats_options(app, options);
  app.parse("--server nats://a:1,tls://b:2 --nkey seed --tls-cert c --tls-key k --tenant t-1");
  EXPECT_EQ(options.servers, "nats://a:1,tls://b:2");
  EXPECT_EQ(options.nkey_seed_file, "seed");
  EXPECT_EQ(options.key_file, "k");
  EXPECT_EQ(options.tenant, "t-1");
  EXPECT_THROW(app.parse("--creds a --nkey b"), CLI::ParseError);
  EXPECT_THROW(app.parse("--tls-cert c"), CLI::ParseError);
  EXPECT_THROW(app.parse("--tenant a.b"), CLI::ParseError);
}

}  // namespace
}  // namespace ringside::fleet
