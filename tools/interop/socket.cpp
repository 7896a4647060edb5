#include "tools/interop/socket.hpp"

#include <array>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "tools/interop/endpoint_address.hpp"

namespace ringside::tool {

Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}

Socket::Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

AddressList resolve_endpoint(const std::string& text, int flags, std::string* error) {
  const auto address = EndpointAddress::parse(text, error);
  if (!address) return nullptr;
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = address->transport == Transport::kUdp ? SOCK_DGRAM : SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* list = nullptr;
  const int code = ::getaddrinfo(address->host.c_str(), address->port.c_str(), &hints, &list);
  if (code == 0) return AddressList(list);
  *error = text + ": " + ::gai_strerror(code) + "; check host and port";
  return nullptr;
}

std::string name_of_peer(const sockaddr_storage& address, socklen_t bytes) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address), bytes, host.data(), host.size(),
                    port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "?";
  }
  const bool is_v6 = address.ss_family == AF_INET6;
  return (is_v6 ? "[" : "") + std::string(host.data()) + (is_v6 ? "]:" : ":") + port.data();
}

std::string own_name(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t bytes = sizeof address;
  ::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&address), &bytes);
  return name_of_peer(address, bytes);
}

std::string socket_reason(int error) {
  return std::generic_category().message(error);
}

}  // namespace ringside::tool
