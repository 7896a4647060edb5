#pragma once
// Heph packets in datagrams, which can be lost, reordered, repeated, or from anywhere.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tools/interop/datagram_collector.hpp"
#include "tools/interop/datagram_packets.hpp"
#include "tools/interop/diagnostic_sink.hpp"
#include "tools/interop/heph/heph_events.hpp"

namespace ringside::tool::heph {

// The address without the port, of "127.0.0.1:53412" or "[::1]:80".
std::string host_of(const std::string& sender);

// How the output of the writer divides into datagrams: one packet in each.
PacketFacts first_packet_facts(std::string_view bytes);

class DatagramImport final : public DatagramReceiver {
 public:
  // Events wait this long for their sender's epoch, whose datagram may come later.
  static constexpr std::chrono::milliseconds kMostEpochWait{1000};
  // They wait in this much memory: of each sender, and of all.
  static constexpr std::size_t kMostWaitingBytes = std::size_t{64} << 10;
  static constexpr std::size_t kMostWaitingBytesOfAll = std::size_t{64} << 20;

  DatagramImport(TraceBuilder& builder, ConversionReport& report, const DiagnosticSink& report_now)
      : events_(builder, report), report_now_(report_now) {}

  std::unique_ptr<DatagramSource> begin(const std::string& sender) override;
  void finish(ReadOutcome& outcome) override;

 private:
  class Source;

  void reject(const std::string& sender, const std::string& why);

  EventImport events_;
  const DiagnosticSink& report_now_;
  std::size_t waiting_bytes_ = 0;
  std::uint64_t invalid_ = 0;  // datagrams
  std::uint64_t cut_ = 0;
  std::uint64_t without_epoch_ = 0;  // events
};

}  // namespace ringside::tool::heph
