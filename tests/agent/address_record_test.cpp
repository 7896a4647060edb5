// IP addresses and socket addresses as arguments of log calls.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "libagent/include/ringside/adapt.hpp"
#include "libagent/include/ringside/address.hpp"
#include "libagent/include/ringside/event.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

in_addr ipv4(const char* text) {
  in_addr address{};
  EXPECT_EQ(inet_pton(AF_INET, text, &address), 1);
  return address;
}

sockaddr_in6 ipv6(const char* text, std::uint16_t port, std::uint32_t scope = 0) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(port);
  address.sin6_scope_id = scope;
  EXPECT_EQ(inet_pton(AF_INET6, text, &address.sin6_addr), 1);
  return address;
}

sockaddr_in ipv4(const char* text, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr = ipv4(text);
  return address;
}

struct Connection {
  sockaddr_in peer;
  int id;
};
RS_ADAPT(Connection, peer, id)

PROCESS_TEST(AddressRecord, IsATextInEachStyle) {
  const sockaddr_in peer = ipv4("192.0.2.1", 8080);
  const sockaddr_in6 listener = ipv6("2001:db8::1", 443);
  RS_EVENT(INFO, "event", peer, listener, peer.sin_addr, listener.sin6_addr);
  EXPECT_EQ(last_values(), (Values{"string 192.0.2.1:8080", "string [2001:db8::1]:443",
                                   "string 192.0.2.1", "string 2001:db8::1"}));
  RS_FMT(INFO, "{:>30} {}", peer, (Connection{peer, 7}));
  EXPECT_EQ(last_values(), (Values{"string 192.0.2.1:8080", "string 192.0.2.1:8080", "i32 7"}));
  RS_INFO("%s %.4s", peer, listener.sin6_addr);
  EXPECT_EQ(last_values(), (Values{"string 192.0.2.1:8080", "string 2001:db8::1"}));
  RS_FMT(INFO, "{}", (std::vector<in_addr>{ipv4("10.0.0.1"), ipv4("255.255.255.255")}));
  EXPECT_EQ(last_values(), (Values{"[string 10.0.0.1, string 255.255.255.255]"}));
  RS_FMT(INFO, "{} {}", std::optional<sockaddr_in>(), ipv6("fe80::1", 1, 3));
  EXPECT_EQ(last_values(), (Values{"[]", "string [fe80::1%3]:1"}));
}

PROCESS_TEST(AddressRecord, IsReadFromAnyFamily) {
  sockaddr_storage storage{};
  const auto* const address = reinterpret_cast<const sockaddr*>(&storage);
  const auto record = [&](std::size_t bytes) {
    RS_FMT(INFO, "{}", socket_address(address, static_cast<socklen_t>(bytes)));
    return last_values().at(0);
  };
  const sockaddr_in6 peer = ipv6("::ffff:192.0.2.1", 65535);
  std::memcpy(&storage, &peer, sizeof peer);
  EXPECT_EQ(record(sizeof peer), "string [::ffff:192.0.2.1]:65535");
  EXPECT_EQ(record(sizeof peer - 1), "string family 10");
  EXPECT_EQ(record(1), "string family 0");
  EXPECT_EQ(record(0), "string family 0");
  RS_FMT(INFO, "{}", storage);
  EXPECT_EQ(last_values(), (Values{"string [::ffff:192.0.2.1]:65535"}));
  storage.ss_family = 77;
  EXPECT_EQ(record(sizeof storage), "string family 77");
  RS_FMT(INFO, "{}", socket_address(nullptr, 16));
  EXPECT_EQ(last_values(), (Values{"string (null)"}));
}

PROCESS_TEST(AddressRecord, OfAUnixSocketIsItsPath) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  RS_FMT(INFO, "{}", address);
  EXPECT_EQ(last_values(), (Values{"string unix:"}));
  std::memcpy(address.sun_path, "/run/x.sock", 12);
  RS_FMT(INFO, "{}", address);
  EXPECT_EQ(last_values(), (Values{"string unix:/run/x.sock"}));
  std::memset(address.sun_path, 'p', sizeof address.sun_path);  // unterminated
  RS_FMT(INFO, "{}", address);
  EXPECT_EQ(last_values(), (Values{"string unix:" + std::string(108, 'p')}));
  address.sun_path[0] = '\0';
  const auto* const abstract = reinterpret_cast<const sockaddr*>(&address);
  RS_FMT(INFO, "{}", socket_address(abstract, offsetof(sockaddr_un, sun_path) + 4));
  EXPECT_EQ(last_values(), (Values{"string unix:@ppp"}));
  RS_FMT(INFO, "{}", socket_address(abstract, offsetof(sockaddr_un, sun_path)));
  EXPECT_EQ(last_values(), (Values{"string unix:"}));
}

// The library's text against inet_ntop's, with many zeros.
TEST(AddressText, EqualsThatOfInetNtop) {
  const std::uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::array<char, INET6_ADDRSTRLEN> wanted{};
  std::array<char, RS_ADDRESS_TEXT_BYTES> text{};
  for (int i = 0; i < 100'000; ++i) {
    in6_addr address{};
    for (std::uint8_t& byte : address.s6_addr) {
      const std::uint32_t choice = random() % 4;
      byte = choice == 0 ? 0xFF : static_cast<std::uint8_t>(choice == 1 ? random() : 0);
    }
    const std::size_t length =
        rs_address_text(text.data(), &address, sizeof address, RS_ADDRESS_IPV6);
    ASSERT_EQ(std::string(text.data(), length),
              inet_ntop(AF_INET6, &address, wanted.data(), wanted.size()));
    ASSERT_EQ(std::string(text.data(), rs_address_text(text.data(), &address, 4, RS_ADDRESS_IPV4)),
              inet_ntop(AF_INET, &address, wanted.data(), wanted.size()));
  }
}

}  // namespace
}  // namespace ringside::test
