#include "tools/interop/tcp_endpoint.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <poll.h>
#include <utility>

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace ringside::tool {
namespace {

constexpr int kBacklog = 1024;
// How long a receiver may take to end its side after it has received everything.
constexpr int kReceiptMs = 1000;
constexpr int kReceiptPollMs = 20;

}  // namespace

TcpSender::TcpSender(std::string address, Socket socket)
    : address_(std::move(address)), socket_(std::move(socket)) {}

std::unique_ptr<TcpSender> TcpSender::connect(const std::string& address, std::string* error) {
  const AddressList resolved = resolve_endpoint(address, 0, error);
  if (resolved == nullptr) return nullptr;
  int code = 0;
  auto socket = first_usable(resolved, 0, &code, [](int fd, const addrinfo& a) {
    return ::connect(fd, a.ai_addr, a.ai_addrlen) == 0 ? 0 : errno;
  });
  if (!socket) {
    *error = address + ": cannot connect: " + socket_reason(code) +
             "; check that the receiver is running";
    return nullptr;
  }
  const int one = 1;
  // The caller already buffers.
  ::setsockopt(socket->fd(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return std::unique_ptr<TcpSender>(new TcpSender(address, std::move(*socket)));
}

bool TcpSender::write(std::span<const std::byte> bytes) {
  while (error_ == 0 && !bytes.empty()) {
    const ssize_t sent = ::send(socket_.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) {
      error_ = sent < 0 ? errno : EIO;
    } else {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
  }
  return error_ == 0;
}

std::size_t TcpSender::read(std::span<std::byte> room, int timeout_ms) {
  pollfd waited{socket_.fd(), POLLIN, 0};
  if (::poll(&waited, 1, timeout_ms) <= 0) return 0;
  const ssize_t got = ::recv(socket_.fd(), room.data(), room.size(), MSG_DONTWAIT);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

// Closing a connection while unread input is waiting resets it, and data on its way is lost. So
// this reads what the receiver sends until all data has arrived and the receiver has seen the end,
// or does not acknowledge it in time.
int TcpSender::await_receipt() {
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> end;
  std::array<std::byte, 512> room;
  while (!end || Clock::now() < *end) {
    int on_its_way = 0;
    if (::ioctl(socket_.fd(), SIOCOUTQ, &on_its_way) != 0) return errno;
    if (on_its_way == 0 && !end) end = Clock::now() + std::chrono::milliseconds(kReceiptMs);
    pollfd waited{socket_.fd(), POLLIN, 0};
    if (::poll(&waited, 1, kReceiptPollMs) <= 0) continue;
    const ssize_t got = ::recv(socket_.fd(), room.data(), room.size(), MSG_DONTWAIT);
    if (got == 0) return 0;
    if (got < 0 && errno != EAGAIN && errno != EINTR) return errno;
  }
  return 0;
}

bool TcpSender::finish(std::string* error) {
  if (error_ == 0 && ::shutdown(socket_.fd(), SHUT_WR) != 0) error_ = errno;
  if (error_ == 0) error_ = await_receipt();
  if (error_ == 0) return true;
  *error =
      address_ + ": cannot send: " + socket_reason(error_) + "; data sent before may have arrived";
  return false;
}

std::optional<Socket> listen_at(const std::string& address, std::string* error) {
  const AddressList resolved = resolve_endpoint(address, AI_PASSIVE, error);
  if (resolved == nullptr) return std::nullopt;
  int code = 0;
  auto socket = first_usable(resolved, SOCK_NONBLOCK, &code, [](int fd, const addrinfo& a) {
    const int one = 1;
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    const bool listens = ::bind(fd, a.ai_addr, a.ai_addrlen) == 0 && ::listen(fd, kBacklog) == 0;
    return listens ? 0 : errno;
  });
  if (!socket)
    *error =
        address + ": cannot listen: " + socket_reason(code) + "; choose another address or port";
  return socket;
}

Socket accept_at(const Socket& listener, std::string* peer) {
  sockaddr_storage address{};
  socklen_t bytes = sizeof address;
  Socket socket(::accept4(listener.fd(), reinterpret_cast<sockaddr*>(&address), &bytes,
                          SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket.fd() >= 0) *peer = name_of_peer(address, bytes);
  return socket;
}

}  // namespace ringside::tool
