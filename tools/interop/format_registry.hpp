#pragma once
// The table of the foreign formats that ringcat reads and writes.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"
#include "tools/interop/trace_writer.hpp"

namespace ringside::tool {

enum class InspectStyle { kText, kJson, kCsv };

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
                         ConversionReport& report) = nullptr;

  // Lists the structure of a file. kRefused: nothing was written.
  ReadOutcome (*inspect)(InputBytes& input, InspectStyle style, OutputBytes& output) = nullptr;
  ReadOutcome (*inspect_directory)(const std::string& path, InspectStyle style,
                                   OutputBytes& output) = nullptr;

  bool draws_stacks = false;  // the writer needs the methods of addresses
  std::unique_ptr<TraceWriter> (*write)(OutputBytes& output, ConversionReport& report) = nullptr;
  // Creates the directory `path`, which must not exist. Null with `*error` on failure.
  std::unique_ptr<TraceWriter> (*write_directory)(const std::string& path, ConversionReport& report,
                                                  std::string* error) = nullptr;
};

std::span<const ForeignFormat> foreign_formats();

// Null if there is no format of that name.
const ForeignFormat* find_foreign_format(std::string_view name);

// Null if no format recognises the bytes.
const ForeignFormat* recognise_format(std::span<const std::byte> first_bytes);
const ForeignFormat* recognise_directory_format(const std::string& path);

// Such as "chrome, csv, ctf": the formats that are read, collected from senders, or written.
std::string names_of_read_formats();
std::string names_of_collected_formats();
std::string names_of_written_formats();

}  // namespace ringside::tool
