#pragma once
// "tcp://HOST:PORT" and "udp://HOST:PORT": where a conversion sends to, or a collector listens.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::tool {

enum class Transport : std::uint8_t { kTcp, kUdp };

struct EndpointAddress {
  Transport transport = Transport::kTcp;
  std::string host;  // a name or an address; an IPv6 address without its brackets
  std::string port;  // 0 to 65535, or the name of a service

  // Empty with `*error` if `text` is not such an address.
  static std::optional<EndpointAddress> parse(std::string_view text, std::string* error);
};

// Whether `text` begins with "tcp://" or "udp://", well-formed or not, and so is not a file.
bool is_tcp(std::string_view text);
bool is_udp(std::string_view text);
inline bool is_endpoint(std::string_view text) {
  return is_tcp(text) || is_udp(text);
}

}  // namespace ringside::tool
