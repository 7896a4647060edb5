#pragma once
// The formats of others that ringcat reads and writes: one table.

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

// Null members: ringcat does not do that with the format.
struct ForeignFormat {
  // How many first bytes of a file recognise() gets, or fewer of a smaller file.
  static constexpr std::size_t kFirstBytes = 4096;

  std::string_view name;         // on the command line
  std::string_view description;  // one line, without a full stop

  bool (*recognise)(std::span<const std::byte> first_bytes) = nullptr;
  // Of traces that are directories.
  bool (*recognise_directory)(const std::string& path) = nullptr;

  // Gives all that can be read to the builder; the report gets what it has no place for.
  ReadOutcome (*read)(InputBytes& input, TraceBuilder& builder, ConversionReport& report) = nullptr;
  ReadOutcome (*read_directory)(const std::string& path, TraceBuilder& builder,
                                ConversionReport& report) = nullptr;
  // Gives the builder what senders send to "tcp://HOST:PORT", until SIGINT or SIGTERM. kRefused: it
  // cannot be listened there.
  ReadOutcome (*collect)(const std::string& address, TraceBuilder& builder,
                         ConversionReport& report) = nullptr;

  // What a file consists of. kRefused: nothing was put.
  ReadOutcome (*inspect)(InputBytes& input, InspectStyle style, OutputBytes& output) = nullptr;
  ReadOutcome (*inspect_directory)(const std::string& path, InspectStyle style,
                                   OutputBytes& output) = nullptr;

  std::unique_ptr<TraceWriter> (*write)(OutputBytes& output, ConversionReport& report) = nullptr;
  // Makes the directory `path`, which is not there yet. Null with `*error` if it cannot.
  std::unique_ptr<TraceWriter> (*write_directory)(const std::string& path, ConversionReport& report,
                                                  std::string* error) = nullptr;
};

std::span<const ForeignFormat> foreign_formats();

// Null if there is none of that name.
const ForeignFormat* find_foreign_format(std::string_view name);

// Null if no format knows them as its own.
const ForeignFormat* recognise_format(std::span<const std::byte> first_bytes);
const ForeignFormat* recognise_directory_format(const std::string& path);

// "chrome, csv, ctf": of the formats that are read, collected from senders, or written.
std::string names_of_read_formats();
std::string names_of_collected_formats();
std::string names_of_written_formats();

}  // namespace ringside::tool
