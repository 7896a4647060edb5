#include "tools/interop/format_registry.hpp"

#include "tools/interop/ctf/ctf_import.hpp"
#include "tools/interop/ctf/ctf_inspect.hpp"
#include "tools/interop/ctf/ctf_writer.hpp"
#include "tools/interop/heph/heph_format.hpp"
#include "tools/interop/json/chrome_format.hpp"
#include "tools/interop/json/chrome_writer.hpp"
#include "tools/interop/json/ndjson_format.hpp"
#include "tools/interop/nanolog/nanolog_format.hpp"
#include "tools/interop/netlogger/netlogger_collector.hpp"
#include "tools/interop/netlogger/netlogger_format.hpp"
#include "tools/interop/netlogger/ulm_format.hpp"
#include "tools/interop/nettrace/nettrace_import.hpp"
#include "tools/interop/nettrace/nettrace_inspect.hpp"
#include "tools/interop/nettrace/nettrace_reader.hpp"
#include "tools/interop/nettrace/nettrace_writer.hpp"
#include "tools/interop/perfetto/perfetto_import.hpp"
#include "tools/interop/perfetto/perfetto_inspect.hpp"
#include "tools/interop/perfetto/perfetto_reader.hpp"
#include "tools/interop/perfetto/perfetto_writer.hpp"
#include "tools/interop/ringtrace_format.hpp"
#include "tools/interop/tptp/tptp_collector.hpp"
#include "tools/interop/tptp/tptp_import.hpp"
#include "tools/interop/tptp/tptp_inspect.hpp"
#include "tools/interop/tptp/tptp_writer.hpp"
#include "tools/interop/tptp/tptp_xml_reader.hpp"
#include "tools/interop/viewers/line_writers.hpp"
#include "tools/interop/viewers/otlp_writer.hpp"
#include "tools/interop/viewers/profile_writers.hpp"
#include "tools/interop/viewers/rowbinary_writer.hpp"

namespace ringside::tool {
namespace {

// By name. Formats that are recognised by weak evidence come after those with strong evidence.
constexpr ForeignFormat kFormats[] = {
    {.name = "csv", .description = "a line of values for each record", .write = write_csv},
    {.name = "heph",
     .description = "Heph traces, version 0.1.0",
     .recognise = recognise_heph,
     .read = read_heph,
     .inspect = inspect_heph,
     .write = write_heph},
    {.name = "ctf",
     .description = "Common Trace Format 1.8, as written by LTTng: a directory",
     .recognise_directory = recognise_ctf,
     .read_directory = read_ctf,
     .inspect_directory = inspect_ctf,
     .write_directory = write_ctf},
    {.name = "nanolog",
     .description = "log files of NanoLog's C++17 runtime",
     .recognise = recognise_nanolog,
     .read = read_nanolog,
     .inspect = inspect_nanolog},
    {.name = "nettrace",
     .description = "EventPipe NetTrace of .NET, versions 4 and 5",
     .recognise = nettrace::recognise,
     .read = read_nettrace,
     .inspect = inspect_nettrace,
     .write = write_nettrace},
    {.name = "folded",
     .description = "folded stacks of spans and of a profiler's samples",
     .draws_stacks = true,
     .write = write_folded},
    {.name = "otlp",
     .description = "OTLP/JSON of OpenTelemetry, logs and spans",
     .write = write_otlp},
    {.name = "ringtrace",
     .description = "Ringside's own trace files",
     .recognise = recognise_ringtrace,
     .inspect = inspect_ringtrace,
     .write = write_ringtrace},
    {.name = "rowbinary",
     .description = "ClickHouse's RowBinaryWithNamesAndTypes",
     .write = write_rowbinary},
    {.name = "rowbinary-18",
     .description = "RowBinary for ClickHouse 18, as in Debian",
     .write = write_rowbinary_18},
    {.name = "rowbinary-schema",
     .description = "the statement that makes ClickHouse's table",
     .write = write_rowbinary_schema},
    {.name = "rowbinary-schema-18",
     .description = "the statement that makes the table in ClickHouse 18",
     .write = write_rowbinary_schema_18},
    {.name = "speedscope",
     .description = "profiles of speedscope",
     .draws_stacks = true,
     .write = write_speedscope},
    {.name = "trcbin",
     .description = "binary traces of the TPTP profiler",
     .recognise = tptp::recognise_binary,
     .read = tptp::read_binary,
     .collect = tptp::collect_binary,
     .inspect = tptp::inspect_binary,
     .write = tptp::write_binary},
    {.name = "trcxml",
     .description = "XML traces of the TPTP profiler",
     .recognise = tptp::recognise_xml,
     .read = tptp::read_xml,
     .collect = tptp::collect_xml,
     .inspect = tptp::inspect_xml,
     .write = tptp::write_xml},
    {.name = "chrome",
     .description = "Chrome's trace events, JSON",
     .recognise = recognise_chrome,
     .read = read_chrome,
     .inspect = inspect_chrome,
     .write = write_chrome},
    {.name = "ndjson",
     .description = "a JSON object a line",
     .recognise = recognise_ndjson,
     .read = read_ndjson,
     .inspect = inspect_ndjson,
     .write = write_ndjson},
    {.name = "perfetto",
     .description = "Perfetto's protobuf traces",
     .recognise = perfetto::recognise,
     .read = read_perfetto,
     .inspect = inspect_perfetto,
     .draws_stacks = true,
     .write = write_perfetto},
    {.name = "netlogger",
     .description = "NetLogger's binary messages",
     .recognise = recognise_netlogger,
     .read = read_netlogger,
     .collect = collect_netlogger,
     .inspect = inspect_netlogger,
     .write = write_netlogger},
    {.name = "ulm",
     .description = "Universal Logger Messages, NetLogger's text",
     .recognise = recognise_ulm,
     .read = read_ulm,
     .inspect = inspect_ulm,
     .write = write_ulm},
};

template <class Has>
std::string names_of(Has&& has) {
  std::string names;
  for (const ForeignFormat& format : kFormats) {
    if (!has(format)) continue;
    if (!names.empty()) names += ", ";
    names += format.name;
  }
  return names;
}

}  // namespace

std::span<const ForeignFormat> foreign_formats() {
  return kFormats;
}

const ForeignFormat* find_foreign_format(std::string_view name) {
  for (const ForeignFormat& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

const ForeignFormat* recognise_format(std::span<const std::byte> first_bytes) {
  for (const ForeignFormat& format : kFormats) {
    if (format.recognise != nullptr && format.recognise(first_bytes)) return &format;
  }
  return nullptr;
}

const ForeignFormat* recognise_directory_format(const std::string& path) {
  for (const ForeignFormat& format : kFormats) {
    if (format.recognise_directory != nullptr && format.recognise_directory(path)) return &format;
  }
  return nullptr;
}

std::string names_of_read_formats() {
  return names_of(
      [](const ForeignFormat& f) { return f.read != nullptr || f.read_directory != nullptr; });
}

std::string names_of_collected_formats() {
  return names_of([](const ForeignFormat& f) { return f.collect != nullptr; });
}

std::string names_of_written_formats() {
  return names_of(
      [](const ForeignFormat& f) { return f.write != nullptr || f.write_directory != nullptr; });
}

}  // namespace ringside::tool
