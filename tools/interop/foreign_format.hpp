#pragma once
// The descriptor by which a format declares what ringcat can do with it. Each format defines its
// own; format_registry.cpp lists them.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tools/interop/collector_context.hpp"
#include "tools/interop/conversion_report.hpp"
#include "tools/interop/datagram_packets.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/inspect_style.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"
#include "tools/interop/trace_writer.hpp"

namespace ringside::tool {

// A null member means that ringcat does not support that operation for the format.
struct ForeignFormat {
  // How many first bytes of a file recognise() gets; fewer if the file is smaller.
  static constexpr std::size_t kFirstBytes = 4096;

  std::string_view name;         // on the command line
  std::string_view description;  // one line, without a full stop

  bool (*recognise)(std::span<const std::byte> first_bytes) = nullptr;
  // For traces that are directories.
  bool (*recognise_directory)(const std::string& path) = nullptr;

  // Gives everything readable to the builder, and reports what the builder has no place for.
  ReadOutcome (*read)(InputBytes& input, TraceBuilder& builder, ConversionReport& report) = nullptr;
  ReadOutcome (*read_directory)(const std::string& path, TraceBuilder& builder,
                                ConversionReport& report) = nullptr;
  // Gives the builder what senders send to "tcp://HOST:PORT", until SIGINT or SIGTERM. kRefused: it
  // cannot listen there.
  ReadOutcome (*collect)(const std::string& address, TraceBuilder& builder,
                         ConversionReport& report, const CollectorContext& context) = nullptr;
  // The same for datagrams to "udp://HOST:PORT".
  ReadOutcome (*collect_datagrams)(const std::string& address, TraceBuilder& builder,
                                   ConversionReport& report,
                                   const CollectorContext& context) = nullptr;

  // Lists the structure of a file. kRefused: nothing was written.
  ReadOutcome (*inspect)(InputBytes& input, InspectStyle style, OutputBytes& output) = nullptr;
  ReadOutcome (*inspect_directory)(const std::string& path, InspectStyle style,
                                   OutputBytes& output) = nullptr;

  // The format that is sent instead to a receiver that does not announce this one
  // (format_announcement.hpp); empty: needs no announcement.
  std::string_view sent_unless_announced = {};
  // Of the two records of a span, the writer gets one: the second, or the first if there is no
  // second (trace-format/reader/open_spans.hpp).
  bool draws_spans = false;
  bool draws_stacks = false;       // the writer needs the methods of addresses
  bool states_collection = false;  // the writer needs what was collected
  // The writer uses RecordExtension::context. Other writers get fields of contexts among those of
  // the record.
  bool carries_contexts = false;
  // A beginning of the output is useful without its end, so that a live trace can be forwarded.
  bool forwards = false;
  // How the output divides into datagrams; null: it cannot.
  PacketFacts (*first_packet)(std::string_view bytes) = nullptr;
  std::unique_ptr<TraceWriter> (*write)(OutputBytes& output, ConversionReport& report) = nullptr;
  // Creates the directory `path`, which must not exist. Null with `*error` on failure.
  std::unique_ptr<TraceWriter> (*write_directory)(const std::string& path, ConversionReport& report,
                                                  std::string* error) = nullptr;
};

}  // namespace ringside::tool
