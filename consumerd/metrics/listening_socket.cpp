#include "consumerd/metrics/listening_socket.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "consumerd/log/log.hpp"

namespace ringside::consumer {
namespace {

constexpr int kBacklog = 16;

}  // namespace

std::optional<ListeningAddress> parse_listening_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {};
  const std::string_view digits = text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size() || port == 0) {
    return {};
  }
  std::string host(text.substr(0, colon));
  const bool is_v6 = host.size() > 2 && host.front() == '[' && host.back() == ']';
  ListeningAddress result;
  if (is_v6) {
    host = host.substr(1, host.size() - 2);
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    if (inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) != 1) return {};
    std::memcpy(&result.address, &v6, sizeof v6);
    result.bytes = sizeof v6;
  } else {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    if (inet_pton(AF_INET, host.c_str(), &v4.sin_addr) != 1) return {};
    std::memcpy(&result.address, &v4, sizeof v4);
    result.bytes = sizeof v4;
  }
  return result;
}

UniqueFd listen_on(const ListeningAddress& address, std::string* why) {
  UniqueFd fd(
      socket(address.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
  // After a restart, connections of the previous consumerd may still be closing.
  const int yes = 1;
  if (fd && setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
      bind(fd.get(), reinterpret_cast<const sockaddr*>(&address.address), address.bytes) == 0 &&
      listen(fd.get(), kBacklog) == 0) {
    return fd;
  }
  *why = error_text(errno);
  return {};
}

}  // namespace ringside::consumer
