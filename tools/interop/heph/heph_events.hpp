#pragma once
// Converts the packets of Heph traces to records: one stream per stream, one span per event.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/heph/heph_gap_window.hpp"
#include "tools/interop/heph/heph_packets.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::heph {

// One trace: a file, or what one sender sends.
struct TraceSource {
  std::string host;            // empty: unknown
  std::string name;            // of its threads
  bool is_reordered = false;   // packets can arrive in another order, or twice
  std::uint64_t epoch_ns = 0;  // 0: times count from 1970
  bool has_epoch = false;
  std::uint64_t events = 0;
  std::uint64_t last_ns = 0;  // of the last event

  struct Stream {
    std::uint32_t index = 0;
    CounterWatch counters;  // unless is_reordered
    GapWindow window;       // if is_reordered
  };
  std::unordered_map<std::uint32_t, Stream> streams;
  std::uint32_t last_id = 0;
  Stream* last_stream = nullptr;
  std::optional<std::uint32_t> option_stream;
};

// Sources share statements, processes by host, and limits. Not thread-safe.
class EventImport {
 public:
  EventImport(TraceBuilder& builder, ConversionReport& report)
      : builder_(builder), report_(report) {}

  // The process of a source that has no events either.
  void begin(const TraceSource& source) { process_of(source); }
  void take(const Packet& packet, TraceSource& source);
  // A bad packet.
  void take_bad() { ++bad_; }
  // No more comes from the source, or its streams' numbers begin again.
  void end_numbers(TraceSource& source);

  // Adds what was unusual.
  void warn(ReadOutcome& outcome) const;

 private:
  struct Shape {
    std::uint32_t site = 0;  // 0: the limit is reached
    bool with_description = false;
  };
  using Stream = TraceSource::Stream;

  bool take_attributes(std::span<const std::byte> bytes);
  std::uint32_t process_of(const TraceSource& source);
  std::optional<std::uint32_t> new_stream(const TraceSource& source, std::uint32_t id,
                                          std::string_view name);
  Stream& stream_of(std::uint32_t id, TraceSource& source);
  std::uint64_t unix_ns(std::uint64_t since_epoch, const TraceSource& source);
  bool see_counter(const Packet& packet, std::uint64_t begin, TraceSource& source, Stream& stream);
  void book_gap(const Stream& stream, const GapWindow::Gap& gap);
  void add_event(const Packet& packet, TraceSource& source);
  void add_option(const Packet& packet, TraceSource& source);
  void put(const Attribute& attribute);
  void make_key(std::string_view description, bool with_description);
  void append_key(std::string_view text);
  Shape shape_of(std::string_view description);
  std::uint32_t add_site(std::string_view description, const Shape& shape);

  TraceBuilder& builder_;
  ConversionReport& report_;
  std::map<std::string, std::uint32_t> processes_;  // by host
  std::size_t streams_ = 0;
  Stream beyond_;
  std::unordered_map<std::string, Shape> shapes_;
  std::size_t described_ = 0;
  std::vector<Attribute> attributes_;  // of the current event, as many as a record can have
  std::size_t attribute_count_ = 0;    // all
  std::string key_;
  std::string elements_;
  std::uint32_t option_site_ = 0;
  std::uint64_t bad_ = 0;
  std::uint64_t options_ = 0;  // unknown ones
  std::uint64_t late_ = 0;
  std::uint64_t duplicates_ = 0;
  std::uint64_t same_ = 0;
  std::uint64_t restarts_ = 0;
};

// Takes all packets of `input`, which is one source. The caller adds EventImport::warn().
ReadOutcome read_source(InputBytes& input, EventImport& events, TraceSource& source);

}  // namespace ringside::tool::heph
