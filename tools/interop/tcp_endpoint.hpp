#pragma once
// "tcp://HOST:PORT": the address that a conversion sends to, or that a collector listens at.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ringside::tool {

struct TcpAddress {
  std::string host;  // a name or an address; an IPv6 address without its brackets
  std::string port;  // 0 to 65535, or the name of a service

  // Empty with `*error` if `text` is not an address.
  static std::optional<TcpAddress> parse(std::string_view text, std::string* error);
};

// Whether `text` means an address, well-formed or not, rather than a file.
bool is_tcp(std::string_view text);

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

// A connection that writes, and can wait for an answer from the other side.
class TcpSender {
 public:
  // Null with `*error` if nothing listens there.
  static std::unique_ptr<TcpSender> connect(const std::string& address, std::string* error);

  // Waits for the receiver without a time limit. False if this, or any earlier write, failed.
  bool write(std::span<const std::byte> bytes);

  // Reads what the receiver sends within the time, as far as it fits; returns the number of bytes,
  // 0 if nothing came.
  std::size_t read(std::span<std::byte> room, int timeout_ms);

  // Ends the sending in order, so that the receiver sees the end and everything before it: waits
  // until the receiver's side has everything, and then up to a second for it to end the connection.
  // False with `*error` if anything has failed since connect().
  bool finish(std::string* error);

 private:
  int await_receipt();  // 0, or an errno

  TcpSender(std::string address, Socket socket);

  std::string address_;
  Socket socket_;
  int error_ = 0;  // errno of the first failure
};

// Listens at the address, without blocking in accept(2). Empty with `*error` on failure.
std::optional<Socket> listen_at(const std::string& address, std::string* error);

// Accepts a connection without waiting, and sets `*peer` to its other end, "127.0.0.1:53412" or
// "[::1]:80": a connection that was reset no longer knows it. Without a descriptor, errno has the
// reason.
Socket accept_at(const Socket& listener, std::string* peer);

// The name of the socket's own end, in the same form.
std::string own_name(const Socket& socket);

}  // namespace ringside::tool
