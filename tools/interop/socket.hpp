#pragma once
// A socket that closes itself, and how sockets are created for addresses.

#include <cerrno>
#include <memory>
#include <netdb.h>
#include <optional>
#include <string>

#include <sys/socket.h>

namespace ringside::tool {

// Closed on exec and by the destructor. Not thread-safe.
class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket();
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int fd() const { return fd_; }

 private:
  int fd_;
};

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, FreeAddresses>;

// The addresses of "tcp://HOST:PORT" or "udp://HOST:PORT"; `flags` are those of getaddrinfo(3).
// Null with `*error` on failure.
AddressList resolve_endpoint(const std::string& text, int flags, std::string* error);

// Use(fd, address) returns 0 or an errno. Takes the first address that `use` accepts; empty with
// the errno of the last one in `*error`.
template <class Use>
std::optional<Socket> first_usable(const AddressList& resolved, int type_flags, int* error,
                                   Use&& use) {
  for (const addrinfo* a = resolved.get(); a != nullptr; a = a->ai_next) {
    Socket socket(::socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | type_flags, 0));
    *error = socket.fd() < 0 ? errno : use(socket.fd(), *a);
    if (*error == 0) return socket;
  }
  return std::nullopt;
}

// "127.0.0.1:53412" or "[::1]:80".
std::string name_of_peer(const sockaddr_storage& address, socklen_t bytes);

// The name of the socket's own end, in the same form.
std::string own_name(const Socket& socket);

// What an errno means.
std::string socket_reason(int error);

}  // namespace ringside::tool
