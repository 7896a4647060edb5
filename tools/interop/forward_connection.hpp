#pragma once
// A connection to "tcp://HOST:PORT" that is made again whenever it ends.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "tools/interop/diagnostic_sink.hpp"
#include "tools/interop/socket.hpp"

namespace ringside::tool {

// Never waits for the receiver: connect(2) excepted, and resolving the host's name. Not
// thread-safe.
//
// What was given to a connection that ended is not sent again: the receiver may have it. What its
// system had not acknowledged counts as possibly lost.
class ForwardConnection {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kFirstBackOff{100};
  static constexpr std::chrono::milliseconds kMostBackOff{10'000};
  // A connection whose receiver's host acknowledges nothing for this time ends.
  static constexpr int kSilenceMs = 30'000;

  ForwardConnection(std::string address, const DiagnosticSink& report_now)
      : address_(std::move(address)), report_now_(report_now) {}

  // Connects if there is no connection and it is time. True if there is a new connection.
  bool connect();
  bool is_connected() const { return socket_.has_value(); }
  bool was_connected() const { return connections_ != 0; }
  // Until the next attempt, in milliseconds; at least 1.
  int back_off_ms() const;
  // Makes the next attempt due.
  void hurry() { next_attempt_ = Clock::now(); }

  // Queues a batch that completes `records` more records. Only while connected.
  void add(std::span<const std::byte> bytes, std::uint64_t records);
  std::size_t queued_bytes() const { return queue_.size() - sent_of_queue_; }

  // Sends what the receiver takes at once, and looks whether it is still there. False if there is
  // no connection any more.
  bool pump();
  // Waits up to `timeout_ms` until more can be sent, or the receiver ends the connection.
  void wait(int timeout_ms) const;

  // Whether the receiver's system has acknowledged everything.
  bool is_acknowledged();
  // Nothing more follows: the receiver sees the end.
  void shut_down();
  // Whether the receiver has ended its side, too.
  bool has_ended() const { return !is_connected(); }

  // Records whose last byte the receiver's system has acknowledged.
  std::uint64_t acknowledged_records();
  // Records that were sent in part or whole, and whose connection ended before that.
  std::uint64_t unconfirmed_records() const { return unconfirmed_; }
  std::uint64_t connections() const { return connections_; }
  const std::string& last_fault() const { return last_fault_; }

 private:
  struct Batch {
    std::uint64_t end = 0;  // position in this connection's bytes
    std::uint64_t records = 0;
  };

  void lose(const std::string& why);
  void take_acknowledged();

  std::string address_;
  const DiagnosticSink& report_now_;
  std::optional<Socket> socket_;
  Clock::time_point next_attempt_ = Clock::now();
  Clock::time_point lost_at_ = Clock::now();
  std::chrono::milliseconds back_off_ = kFirstBackOff;
  bool told_ = false;  // that there is no connection
  bool shut_down_ = false;
  std::string queue_;
  std::size_t sent_of_queue_ = 0;
  std::uint64_t queued_ = 0;   // bytes of this connection
  std::deque<Batch> batches_;  // not acknowledged
  std::uint64_t acknowledged_ = 0;
  std::uint64_t unconfirmed_ = 0;
  std::uint64_t connections_ = 0;
  std::string last_fault_;
};

}  // namespace ringside::tool
