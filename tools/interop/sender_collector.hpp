#pragma once
// Receives what many senders send to one TCP address, whatever their format.

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "tools/interop/collector_context.hpp"
#include "tools/interop/read_outcome.hpp"

namespace ringside::tool {

// One sender's connection, as its format handles it.
class Reception {
 public:
  virtual ~Reception() = default;

  // Takes what it can from the front of `bytes` and returns how many. The rest comes again,
  // followed by further bytes, at most kCollectorRoomBytes in all; of that many it must take some.
  virtual std::size_t take(std::span<const std::byte> bytes) = 0;

  // Why nothing more is accepted from the sender, whose connection is then ended; empty if it
  // continues.
  virtual std::string fault() const = 0;

  // The connection has ended. `left`: bytes that arrived and were not taken; 0 after a fault.
  // Returns what is wrong with this end; empty if nothing is.
  virtual std::string end(std::size_t left) = 0;
};

// All senders of one format.
class Receiver {
 public:
  virtual ~Receiver() = default;

  // `sender` is its address, for messages.
  virtual std::unique_ptr<Reception> begin(const std::string& sender) = 0;

  // Sent first to each sender, if the connection's buffer has room for it; empty: nothing is sent.
  virtual std::string greeting() const { return {}; }

  // Descriptors that a reception has open in addition to its connection.
  virtual std::size_t descriptors_of_reception() const { return 0; }

  // Called when all receptions have ended: adds their warnings.
  virtual void finish(ReadOutcome& outcome) = 0;
};

inline constexpr std::size_t kCollectorRoomBytes = std::size_t{256} << 10;

// Listens at "tcp://HOST:PORT" and gives the receiver what arrives, until SIGINT or SIGTERM. Takes
// what had arrived by then. Reports at once where it listens, and why a connection ended
// unless the sender ended it at a place where it may. kRefused: it cannot listen there.
ReadOutcome collect_from_senders(const std::string& address, Receiver& receiver,
                                 const CollectorContext& context);

}  // namespace ringside::tool
