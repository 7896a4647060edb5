#pragma once
// "tcp://HOST:PORT": where a conversion is sent to, and where others are listened to.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ringside::tool {

struct TcpAddress {
  std::string host;  // a name, or an address; of IPv6 without its brackets
  std::string port;  // 0 to 65535, or a service's name

  // Empty with `*error` if `text` is none.
  static std::optional<TcpAddress> parse(std::string_view text, std::string* error);
};

// Whether `text` means an address, well-formed or not, and no file.
bool is_tcp(std::string_view text);

// Closed on exec, and with the object. Not thread-safe.
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

// A connection that writes, and may wait for what the other side says.
class TcpSender {
 public:
  // Null with `*error` if nobody listens there.
  static std::unique_ptr<TcpSender> connect(const std::string& address, std::string* error);

  // Waits for the receiver as long as it takes. False if that, or anything before, failed.
  bool write(std::span<const std::byte> bytes);

  // What the receiver says within the time, as far as it fits: how many bytes, 0 if nothing.
  std::size_t read(std::span<std::byte> room, int timeout_ms);

  // Ends the sending in order, so that the receiver sees the end and all before it: waits until its
  // side has got all, and then up to a second for its end of the connection. False with `*error` if
  // anything failed since connect().
  bool finish(std::string* error);

 private:
  int await_receipt();  // 0, or an errno

  TcpSender(std::string address, Socket socket);

  std::string address_;
  Socket socket_;
  int error_ = 0;  // errno of the first failure
};

// Listens at the address, without blocking in accept(2). Empty with `*error` if it cannot.
std::optional<Socket> listen_at(const std::string& address, std::string* error);

// Takes a connection, without waiting, and sets `*peer` to its other end, "127.0.0.1:53412" or
// "[::1]:80": a connection that was reset no longer knows it. Without a descriptor: errno says why.
Socket accept_at(const Socket& listener, std::string* peer);

// The same of a socket's own end.
std::string own_name(const Socket& socket);

}  // namespace ringside::tool
