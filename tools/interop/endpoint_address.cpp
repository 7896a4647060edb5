#include "tools/interop/endpoint_address.hpp"

#include <cctype>
#include <charconv>
#include <cstddef>

namespace ringside::tool {
namespace {

constexpr std::string_view kTcpScheme = "tcp://";
constexpr std::string_view kUdpScheme = "udp://";

// getaddrinfo() takes a number modulo 65536, and accepts leading blanks or a sign.
bool is_port(std::string_view port) {
  const bool is_number = port.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_number) return std::isalnum(static_cast<unsigned char>(port.front())) != 0;
  constexpr unsigned kMostPort = 65535;
  unsigned number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  return error == std::errc() && number <= kMostPort;
}

}  // namespace

bool is_tcp(std::string_view text) {
  return text.starts_with(kTcpScheme);
}

bool is_udp(std::string_view text) {
  return text.starts_with(kUdpScheme);
}

std::optional<EndpointAddress> EndpointAddress::parse(std::string_view text, std::string* error) {
  const std::string_view whole = text;
  const std::string_view scheme = is_udp(text) ? kUdpScheme : kTcpScheme;
  if (is_endpoint(text)) text.remove_prefix(scheme.size());
  const std::size_t colon = text.rfind(':');
  const std::string_view host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (!is_endpoint(whole) || colon == std::string_view::npos || colon == 0 ||
      colon + 1 == text.size() || (!bracketed && host.find(':') != std::string_view::npos)) {
    *error = std::string(whole) + ": invalid address; use " + std::string(scheme) +
             "HOST:PORT, or " + std::string(scheme) + "[::1]:PORT for IPv6";
    return std::nullopt;
  }
  const std::string_view port = text.substr(colon + 1);
  if (!is_port(port)) {
    *error = std::string(whole) + ": invalid port '" + std::string(port) +
             "'; use a number from 0 to 65535 or the name of a service";
    return std::nullopt;
  }
  return EndpointAddress{is_udp(whole) ? Transport::kUdp : Transport::kTcp,
                         std::string(bracketed ? host.substr(1, host.size() - 2) : host),
                         std::string(port)};
}

}  // namespace ringside::tool
