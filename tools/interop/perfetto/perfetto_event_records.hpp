#pragma once
// Converts the track events of a Perfetto trace to records.

#include <cstdint>
#include <optional>
#include <string_view>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/perfetto/perfetto_arguments.hpp"
#include "tools/interop/perfetto/perfetto_clocks.hpp"
#include "tools/interop/perfetto/perfetto_event.hpp"
#include "tools/interop/perfetto/perfetto_reader.hpp"
#include "tools/interop/perfetto/perfetto_record_order.hpp"
#include "tools/interop/perfetto/perfetto_sequence.hpp"
#include "tools/interop/perfetto/perfetto_sites.hpp"
#include "tools/interop/perfetto/perfetto_tracks.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::perfetto {

// Not thread-safe.
class EventRecords {
 public:
  EventRecords(TraceBuilder& builder, ConversionReport& report, TrackTable& tracks)
      : report_(report), tracks_(tracks), sites_(builder), order_(builder, report) {}

  // Takes a packet with a TrackEvent; `unix_ns`: its time, if known. False: the event is invalid.
  bool take(const Packet& packet, std::optional<std::uint64_t> unix_ns, Sequence& sequence,
            Clocks& clocks);

  // Called after the last packet.
  void finish() { order_.finish(); }

  std::uint64_t events() const { return events_; }

  // Memory of the sequences for statements, in bytes.
  std::size_t remembered_bytes() const { return remembered_bytes_; }
  // Called when the sequences have freed it.
  void forget() { remembered_bytes_ = 0; }

 private:
  std::optional<std::uint64_t> time_of(const Packet& packet, std::optional<std::uint64_t> unix_ns,
                                       Sequence& sequence, Clocks& clocks) const;
  Track& track_of(Sequence& sequence);
  void add(Track& track, std::uint64_t unix_ns, Sequence& sequence);
  void add_record(Track& track, std::uint64_t unix_ns, shm::SiteKind kind, Sequence& sequence);
  void begin_slice(Track& track, std::uint64_t unix_ns, Sequence& sequence);
  void end_slice(Track& track, std::uint64_t unix_ns);
  void add_counter(Track& track, std::uint64_t unix_ns, Sequence& sequence);
  void add_value(Track& track, std::uint64_t unix_ns, const CounterValue& value,
                 Sequence& sequence);
  void add_extra_values(std::uint64_t unix_ns, Sequence& sequence);
  void add_loss(Track& track, std::uint64_t unix_ns);
  void add_flows();
  RecordHead head_of(Track& track, std::uint64_t unix_ns, shm::SiteKind kind, Sequence& sequence);
  SiteChoice site_of(const Track& track, shm::SiteKind kind, Sequence& sequence);
  SiteDefinition definition_of(const Track& track, shm::SiteKind kind) const;
  void tell_odd();

  ConversionReport& report_;
  TrackTable& tracks_;
  Sites sites_;
  RecordOrder order_;
  Arguments arguments_;
  TrackEvent event_;
  trace::RecordExtension extension_;  // of the current event
  std::string_view values_;           // likewise
  trace::TextSink converted_;
  std::uint64_t open_slices_ = 0;
  std::uint64_t events_ = 0;
  std::size_t remembered_bytes_ = 0;
};

}  // namespace ringside::tool::perfetto
