#include "tools/interop/conversion.hpp"

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "tools/files/output_file.hpp"
#include "tools/files/path_scheme.hpp"
#include "tools/interop/datagram_sender.hpp"
#include "tools/interop/diagnostic_sink.hpp"
#include "tools/interop/endpoint_address.hpp"
#include "tools/interop/fields_of_context.hpp"
#include "tools/interop/format_announcement.hpp"
#include "tools/interop/format_registry.hpp"
#include "tools/interop/nettrace/nettrace_methods.hpp"
#include "tools/interop/tcp_endpoint.hpp"
#include "trace-format/reader/collection_history.hpp"
#include "trace-format/reader/trace_paths.hpp"

namespace ringside::tool {
namespace {

// Returns the number of events written. Stops early if `output` fails. Writers of directories have
// no `output`. `open_spans`: null if the writer gets both records of a span.
std::uint64_t write_events(trace::TraceSet& set, const EventChoice& choice,
                           const ForeignFormat& format, const trace::OpenSpans* open_spans,
                           TraceWriter& writer, const OutputBytes* output) {
  FieldsOfContext fields(format);
  trace::Event event;
  std::uint64_t written = 0;
  while (written < choice.most && set.next(event)) {
    if (output != nullptr && !output->ok()) break;
    if (open_spans != nullptr && trace::is_span_begin(event) && !open_spans->contains(event)) {
      continue;
    }
    if (choice.wanted && !choice.wanted(event)) continue;
    writer.add(fields.of(event));
    ++written;
  }
  writer.end();
  return written;
}

// What the traces state about what was collected. What is damaged there is left out: the reader of
// the events reports damage.
std::shared_ptr<const trace::CollectionHistory> read_collection(
    std::span<const std::string> paths) {
  auto history = std::make_shared<trace::CollectionHistory>();
  std::vector<std::string> files;
  for (const std::string& path : paths) trace::expand_trace_path(path, files, nullptr);
  for (const std::string& file : files) {
    trace::ReadError error;
    history->add(file, &error);
  }
  history->finish();
  return history;
}

ConversionResult unwritten(std::string why) {
  return {.diagnostics = {failure(std::move(why))}};
}

// The format to send, chosen by the receiver's announcement: it may not know `format`.
const ForeignFormat& accepted_format(const ForeignFormat& format, TcpSender& receiver,
                                     ConversionReport& report) {
  const std::string_view otherwise = format.sent_unless_announced;
  if (otherwise.empty() || announces(receiver, format.name)) return format;
  report.note("the receiver does not announce that it accepts " + std::string(format.name) +
              ": sending " + std::string(otherwise));
  return *find_foreign_format(otherwise);
}

ConversionResult convert_to_directory(trace::TraceSet& set, const EventChoice& choice,
                                      const ForeignFormat& format, const std::string& path) {
  ConversionReport report;
  std::string error;
  const auto writer = format.write_directory(path, report, &error);
  if (writer == nullptr) return unwritten(std::move(error));
  const std::uint64_t events = write_events(set, choice, format, nullptr, *writer, nullptr);
  if (!writer->failure().empty()) return unwritten(writer->failure());
  return {.written = true, .events = events, .diagnostics = report.diagnostics()};
}

}  // namespace

std::string fault_of_address(const ConversionOptions& options) {
  const std::string& output = options.output;
  if (scheme_of(output).empty()) return {};  // also without a format
  const ForeignFormat& format = *find_foreign_format(options.format);
  if (!is_endpoint(output)) {
    return unsupported_scheme(output, "tcp://HOST:PORT, udp://HOST:PORT or the name of a file");
  }
  if (format.write == nullptr) {
    return output + ": " + options.format + " is a directory and cannot be sent; name one";
  }
  if (is_udp(output) && format.first_packet == nullptr) {
    return output + ": " + options.format +
           " does not consist of packets that fit datagrams; use tcp://, or --to heph";
  }
  return {};
}

bool can_create_output(const ConversionOptions& options, std::string* error) {
  *error = fault_of_address(options);
  if (!error->empty()) return false;
  if (options.output.empty() || options.output == "-" || is_endpoint(options.output)) return true;
  if (find_foreign_format(options.format)->write_directory != nullptr) {
    std::error_code code;
    const bool exists = std::filesystem::exists(options.output, code);
    if (exists) *error = options.output + ": already exists; choose another directory";
    return !exists;
  }
  return OutputFile::create(options.output, {options.force, 0640}, error) != nullptr;
}

ConversionResult convert_trace(trace::TraceSet& set, std::span<const std::string> paths,
                               const EventChoice& choice, const ConversionOptions& options,
                               const OutputBytes::Sink& sink) {
  const ForeignFormat& format = *find_foreign_format(options.format);
  std::string error = fault_of_address(options);
  if (!error.empty()) return unwritten(std::move(error));
  if (format.write_directory != nullptr) {
    return convert_to_directory(set, choice, format, options.output);
  }
  const ForeignFormat* written_format = &format;
  ConversionReport report;
  std::unique_ptr<OutputFile> file;
  std::unique_ptr<TcpSender> sender;
  std::unique_ptr<DatagramSender> datagrams;
  if (is_udp(options.output)) {
    datagrams = DatagramSender::connect(options.output, format.first_packet, &error);
    if (datagrams == nullptr) return unwritten(std::move(error));
  } else if (is_tcp(options.output)) {
    sender = TcpSender::connect(options.output, &error);
    if (sender == nullptr) return unwritten(std::move(error));
    written_format = &accepted_format(format, *sender, report);
  } else if (!options.output.empty() && options.output != "-") {
    file = OutputFile::create(options.output, {options.force, 0640}, &error);
    if (file == nullptr) return unwritten(std::move(error));
  }
  OutputBytes output([&](std::span<const std::byte> bytes) {
    if (sender != nullptr) return sender->write(bytes);
    if (datagrams != nullptr) return datagrams->write(bytes);
    return file != nullptr ? file->write(bytes) : sink(bytes);
  });
  const auto writer = written_format->write(output, report);
  if (written_format->draws_stacks) writer->use(nettrace::read_methods(paths, report));
  if (written_format->states_collection) writer->use_collection(read_collection(paths));
  trace::OpenSpans found;
  const trace::OpenSpans* open_spans = nullptr;
  if (written_format->draws_spans) {
    open_spans = choice.open_spans != nullptr ? choice.open_spans : &found;
    // What cannot be read there is reported by `set`.
    if (choice.open_spans == nullptr) found.add(paths, nullptr);
  }
  const std::uint64_t events =
      write_events(set, choice, *written_format, open_spans, *writer, &output);
  const bool written = output.flush();
  if (!output.failure().empty()) return unwritten(output.failure());
  if (sender != nullptr && !sender->finish(&error)) return unwritten(std::move(error));
  if (datagrams != nullptr && !datagrams->finish(report, &error)) {
    return unwritten(std::move(error));
  }
  if (file != nullptr && !file->commit(&error)) return unwritten(std::move(error));
  if (!written) return {.sink_error = output.error(), .diagnostics = {}};
  return {.written = true, .events = events, .diagnostics = report.diagnostics()};
}

}  // namespace ringside::tool
