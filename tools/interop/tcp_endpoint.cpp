#include "tools/interop/tcp_endpoint.hpp"

#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <netdb.h>
#include <poll.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace ringside::tool {
namespace {

constexpr std::string_view kScheme = "tcp://";
constexpr int kBacklog = 1024;
// How long a receiver may take to end its side after it has received everything.
constexpr int kReceiptMs = 1000;
constexpr int kReceiptPollMs = 20;

std::string reason(int error) {
  return std::generic_category().message(error);
}

struct Resolved {
  ~Resolved() {
    if (list != nullptr) ::freeaddrinfo(list);
  }
  Resolved() = default;
  Resolved(const Resolved&) = delete;
  Resolved& operator=(const Resolved&) = delete;

  addrinfo* list = nullptr;
};

bool resolve(const std::string& text, int flags, Resolved& resolved, std::string* error) {
  const auto address = TcpAddress::parse(text, error);
  if (!address) return false;
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  const int code =
      ::getaddrinfo(address->host.c_str(), address->port.c_str(), &hints, &resolved.list);
  if (code == 0) return true;
  *error = text + ": " + ::gai_strerror(code) + "; check host and port";
  return false;
}

// Use(fd, address) returns 0 or an errno. Takes the first address that `use` accepts.
template <class Use>
std::optional<Socket> first_usable(const Resolved& resolved, int type_flags, int* error,
                                   Use&& use) {
  for (const addrinfo* a = resolved.list; a != nullptr; a = a->ai_next) {
    Socket socket(::socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | type_flags, 0));
    *error = socket.fd() < 0 ? errno : use(socket.fd(), *a);
    if (*error == 0) return socket;
  }
  return std::nullopt;
}

std::string name_of(const sockaddr_storage& address, socklen_t bytes) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address), bytes, host.data(), host.size(),
                    port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "?";
  }
  const bool is_v6 = address.ss_family == AF_INET6;
  return (is_v6 ? "[" : "") + std::string(host.data()) + (is_v6 ? "]:" : ":") + port.data();
}

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
  return text.substr(0, kScheme.size()) == kScheme;
}

std::optional<TcpAddress> TcpAddress::parse(std::string_view text, std::string* error) {
  const std::string_view whole = text;
  if (is_tcp(text)) text.remove_prefix(kScheme.size());
  const std::size_t colon = text.rfind(':');
  const std::string_view host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (!is_tcp(whole) || colon == std::string_view::npos || colon == 0 || colon + 1 == text.size() ||
      (!bracketed && host.find(':') != std::string_view::npos)) {
    *error =
        std::string(whole) + ": invalid address; use tcp://HOST:PORT, or tcp://[::1]:PORT for IPv6";
    return std::nullopt;
  }
  const std::string_view port = text.substr(colon + 1);
  if (!is_port(port)) {
    *error = std::string(whole) + ": invalid port '" + std::string(port) +
             "'; use a number from 0 to 65535 or the name of a service";
    return std::nullopt;
  }
  return TcpAddress{std::string(bracketed ? host.substr(1, host.size() - 2) : host),
                    std::string(port)};
}

Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}

Socket::Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

TcpSender::TcpSender(std::string address, Socket socket)
    : address_(std::move(address)), socket_(std::move(socket)) {}

std::unique_ptr<TcpSender> TcpSender::connect(const std::string& address, std::string* error) {
  Resolved resolved;
  if (!resolve(address, 0, resolved, error)) return nullptr;
  int code = 0;
  auto socket = first_usable(resolved, 0, &code, [](int fd, const addrinfo& a) {
    return ::connect(fd, a.ai_addr, a.ai_addrlen) == 0 ? 0 : errno;
  });
  if (!socket) {
    *error = address + ": cannot connect: " + reason(code) + "; check that the receiver is running";
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
  *error = address_ + ": cannot send: " + reason(error_) + "; data sent before may have arrived";
  return false;
}

std::optional<Socket> listen_at(const std::string& address, std::string* error) {
  Resolved resolved;
  if (!resolve(address, AI_PASSIVE, resolved, error)) return std::nullopt;
  int code = 0;
  auto socket = first_usable(resolved, SOCK_NONBLOCK, &code, [](int fd, const addrinfo& a) {
    const int one = 1;
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    const bool listens = ::bind(fd, a.ai_addr, a.ai_addrlen) == 0 && ::listen(fd, kBacklog) == 0;
    return listens ? 0 : errno;
  });
  if (!socket)
    *error = address + ": cannot listen: " + reason(code) + "; choose another address or port";
  return socket;
}

Socket accept_at(const Socket& listener, std::string* peer) {
  sockaddr_storage address{};
  socklen_t bytes = sizeof address;
  Socket socket(::accept4(listener.fd(), reinterpret_cast<sockaddr*>(&address), &bytes,
                          SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket.fd() >= 0) *peer = name_of(address, bytes);
  return socket;
}

std::string own_name(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t bytes = sizeof address;
  ::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&address), &bytes);
  return name_of(address, bytes);
}

}  // namespace ringside::tool
