#pragma once
// Takes what many senders send at once to one TCP address, whatever their format.

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "tools/interop/read_outcome.hpp"

namespace ringside::tool {

// One sender's connection, as its format sees it.
class Reception {
 public:
  virtual ~Reception() = default;

  // Takes what it can from the front of `bytes` and returns how many; the others come again, with
  // more behind them, and at most kCollectorRoomBytes in all: of so many it takes some.
  virtual std::size_t take(std::span<const std::byte> bytes) = 0;

  // Why nothing more is wanted of the sender, whose connection is ended then; empty: it goes on.
  virtual std::string fault() const = 0;

  // The connection has ended. `left`: bytes that came and were not taken; 0 after a fault. Returns
  // what is wrong with such an end; empty: nothing.
  virtual std::string end(std::size_t left) = 0;
};

// All senders of one format.
class Receiver {
 public:
  virtual ~Receiver() = default;

  // `sender` is its address, for messages.
  virtual std::unique_ptr<Reception> begin(const std::string& sender) = 0;

  // What each sender is told first, as long as a connection's buffer has room for; empty: nothing.
  virtual std::string greeting() const { return {}; }

  // Descriptors that a reception has open, beside its connection.
  virtual std::size_t descriptors_of_reception() const { return 0; }

  // When all receptions have ended: adds its warnings.
  virtual void finish(ReadOutcome& outcome) = 0;
};

inline constexpr std::size_t kCollectorRoomBytes = std::size_t{256} << 10;

// Listens at "tcp://HOST:PORT" and gives the receiver what comes, until SIGINT or SIGTERM; what had
// arrived by then is taken. Says on standard error where it listens, and why a connection was ended
// unless that was the sender's own decision at a place where it may. kRefused: it cannot be
// listened there.
ReadOutcome collect_from_senders(const std::string& address, Receiver& receiver);

}  // namespace ringside::tool
