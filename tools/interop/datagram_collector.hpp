#pragma once
// Receives the datagrams that many senders send to one UDP address, whatever their format.

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "tools/interop/collector_context.hpp"
#include "tools/interop/read_outcome.hpp"

namespace ringside::tool {

// One address and port that sends.
class DatagramSource {
 public:
  virtual ~DatagramSource() = default;
  virtual void take(std::span<const std::byte> datagram) = 0;
  // Called several times a second while it returns true.
  virtual bool passes_time() = 0;
  // The sender is forgotten: it has been silent for longer than all others, or the collector ends.
  virtual void end() = 0;
};

class DatagramReceiver {
 public:
  virtual ~DatagramReceiver() = default;
  // `sender` is its address, "127.0.0.1:53412".
  virtual std::unique_ptr<DatagramSource> begin(const std::string& sender) = 0;
  // Called when all sources have ended: adds their warnings.
  virtual void finish(ReadOutcome& outcome) = 0;
};

// Senders that are remembered. The sender addresses of datagrams can be forged, so that any number
// of them can appear.
inline constexpr std::size_t kMostDatagramSenders = 4096;

// Listens at "udp://HOST:PORT" and gives the receiver what arrives, until SIGINT or SIGTERM. Takes
// what had arrived by then. Reports at once where it listens. The outcome's warnings have the
// number of datagrams that the kernel dropped because the socket's buffer was full. kRefused: it
// cannot listen there.
ReadOutcome collect_datagrams(const std::string& address, DatagramReceiver& receiver,
                              const CollectorContext& context);

}  // namespace ringside::tool
