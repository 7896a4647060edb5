#pragma once
// Connections to "tcp://HOST:PORT", and the socket that accepts them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tools/interop/socket.hpp"

namespace ringside::tool {

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

}  // namespace ringside::tool
