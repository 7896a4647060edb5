#include "tools/ringview/listening_address.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <unistd.h>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

namespace ringside::tool {
namespace {

constexpr int kBacklog = SOMAXCONN;

std::string reason() {
  return std::generic_category().message(errno);
}

Listening failed(int fd, std::string text, std::string* why) {
  *why = std::move(text);
  if (fd >= 0) ::close(fd);
  return {};
}

bool has_listener(const sockaddr_un& address) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool is_connected =
      fd >= 0 && ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  if (fd >= 0) ::close(fd);
  return is_connected;
}

}  // namespace

Listening listen_on_loopback(std::uint16_t port, std::string* why) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int yes = 1;
  if (fd >= 0) ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  socklen_t bytes = sizeof address;
  if (fd < 0 || ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(fd, kBacklog) != 0 ||
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &bytes) != 0) {
    return failed(fd,
                  fmt::format("cannot listen on port {} of 127.0.0.1: {}; choose another one by "
                              "--port, or 0 for any",
                              port, reason()),
                  why);
  }
  return {fd, ntohs(address.sin_port), 0, 0};
}

Listening listen_on_socket(const std::string& path, std::string* why) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return failed(-1, path + ": the name of a socket has at most 107 bytes; use a shorter one",
                  why);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode))
      return failed(-1, path + ": exists, and is not a socket; use another name", why);
    if (has_listener(address))
      return failed(-1, path + ": another process listens there; use another name", why);
    ::unlink(path.c_str());
  }
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  // The permissions apply from the beginning.
  const mode_t before = ::umask(0177);
  const bool is_bound =
      fd >= 0 && ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::umask(before);
  if (!is_bound || ::lstat(path.c_str(), &status) != 0 || ::listen(fd, kBacklog) != 0)
    return failed(fd, fmt::format("{}: cannot listen: {}; use another folder", path, reason()),
                  why);
  return {fd, std::nullopt, status.st_dev, status.st_ino};
}

void remove_socket(const std::string& path, const Listening& listening) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && status.st_dev == listening.device &&
      status.st_ino == listening.inode)
    ::unlink(path.c_str());
}

}  // namespace ringside::tool
