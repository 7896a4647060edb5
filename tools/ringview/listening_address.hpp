#pragma once
// Where ringview listens: a port of the loopback address, or a Unix socket.

#include <cstdint>
#include <optional>
#include <string>

namespace ringside::tool {

struct Listening {
  int fd = -1;
  std::optional<std::uint16_t> port;
  // Of the socket's file, which another process can replace.
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

// Port 0: any free one. fd -1 with `*why` if it is not possible.
Listening listen_on_loopback(std::uint16_t port, std::string* why);
// The socket is of this user alone (mode 0600). One that no process listens on is replaced.
Listening listen_on_socket(const std::string& path, std::string* why);
// Removes the file of this socket, but not one of another process that has the name now.
void remove_socket(const std::string& path, const Listening& listening);

}  // namespace ringside::tool
