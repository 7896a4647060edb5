#pragma once
// Sends the packets of a format to "udp://HOST:PORT", one in each datagram.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/datagram_packets.hpp"
#include "tools/interop/socket.hpp"

namespace ringside::tool {

// Nothing tells whether a datagram arrives, except that the receiver's host may refuse it. Not
// thread-safe.
class DatagramSender {
 public:
  using FirstPacket = PacketFacts (*)(std::string_view bytes);
  // After this many datagrams, or this time, the last packet that PacketFacts::is_repeated is sent
  // again before the next one.
  static constexpr std::uint64_t kRepeatAfter = 256;
  static constexpr std::chrono::milliseconds kRepeatAfterTime{1000};

  // Null with `*error` if the address is invalid.
  static std::unique_ptr<DatagramSender> connect(const std::string& address,
                                                 FirstPacket first_packet, std::string* error);

  // Sends the whole packets of `bytes`, after what is left of earlier bytes. Waits while the
  // system's buffers are full. False if this, or an earlier call, failed.
  bool write(std::span<const std::byte> bytes);

  // False with `*error` if sending failed, or datagrams were refused because nothing listens there.
  bool finish(ConversionReport& report, std::string* error);

  std::uint64_t sent() const { return sent_; }
  std::uint64_t refused() const { return refused_; }
  std::uint64_t too_large() const { return too_large_; }

 private:
  DatagramSender(std::string address, FirstPacket first_packet, Socket socket,
                 std::size_t most_bytes);
  bool send(std::string_view packet);

  std::string address_;
  FirstPacket first_packet_;
  Socket socket_;
  std::size_t most_bytes_;  // of a datagram
  std::string begun_;       // the beginning of a packet
  std::string repeated_;
  std::uint64_t since_repeated_ = 0;
  std::chrono::steady_clock::time_point repeated_at_;
  std::uint64_t sent_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t too_large_ = 0;
  int error_ = 0;
};

}  // namespace ringside::tool
