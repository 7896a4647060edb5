#pragma once
// Gives the events of one trace to a builder, packet by packet.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/ctf/ctf_columns.hpp"
#include "tools/interop/ctf/ctf_identities.hpp"
#include "tools/interop/ctf/ctf_trace.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::ctf {

// What the traces of a session share.
struct ImportContext {
  TraceBuilder& builder;
  ConversionReport& report;
  BuilderRoom room;
  // One part of one file is in memory at a time.
  FileWindow window;
  const void* window_owner = nullptr;
};

class TraceImport {
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // stream and event

 public:
  // `trace` and `context` must outlive this object.
  TraceImport(Trace& trace, ImportContext& context);

  // Packets come in order of their begins. Returns the begin of the next one; empty if all are
  // read.
  std::optional<std::uint64_t> next_begin_ns() const;
  void read_next();
  // Called after the last packet.
  void end() { identities_.end(); }

  // The position of the first damage until now, and warnings.
  ReadOutcome& outcome() { return outcome_; }

 private:
  struct Event {
    EventLayout layout;
    std::optional<EventFacts> facts;
    SiteDefinition site;
    std::vector<Column> columns;  // one for each field
    std::uint32_t site_id = 0;    // 0: not added yet
    std::string broken;           // why it cannot be read
    bool left_out = false;
  };

  void damaged(std::uint64_t offset, const Packet& packet, const std::string& why);
  void warn(std::string warning);
  void read(const Packet& packet, const Packet* before);
  bool load(const Packet& packet, std::uint64_t first_byte, std::size_t bytes);
  void read_events(const Packet& packet);
  Decoded step(const Node& node);
  Decoded read_event(const Packet& packet);
  Event* find_event(const Key& key);
  void make(const EventDescription& description, Event& event);
  void describe(const EventDescription& description, StreamReader& stream, Event& event,
                std::uint32_t& next);
  const trace::Value& value_of(const Column& column) {
    return decoder_.column_of_type(column.index, column.field.type);
  }
  // Constants take the value of the first event.
  void add_site(Event& event);
  void deliver(Event& event, std::uint64_t unix_ns);
  trace::RecordExtension extension_of(const EventFacts& facts) const;
  void tell_missing(const Packet& packet, const Packet* before);
  void tell_discarded(const Packet& packet, const Packet* before);

  Trace& trace_;
  ImportContext& context_;
  TraceBuilder& builder_;
  ConversionReport& report_;
  ReadOutcome outcome_;
  Identities identities_;
  Decoder decoder_;
  std::vector<std::uint32_t> order_;  // of packets
  std::size_t next_ = 0;
  std::uint32_t open_file_ = kNone;
  std::uint64_t window_begin_ = 0;
  std::uint64_t window_end_ = 0;
  StreamReader* stream_ = nullptr;
  std::map<Key, Event> events_;
  Event* event_ = nullptr;
  Key event_key_;
  std::string why_;
};

}  // namespace ringside::tool::ctf
