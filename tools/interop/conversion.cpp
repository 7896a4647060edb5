#include "tools/interop/conversion.hpp"

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "tools/files/output_file.hpp"
#include "tools/interop/format_announcement.hpp"
#include "tools/interop/format_registry.hpp"
#include "tools/interop/nettrace/nettrace_methods.hpp"
#include "tools/interop/tcp_endpoint.hpp"
#include "tools/query/exit_codes.hpp"
#include "tools/query/record_filter.hpp"
#include "tools/query/standard_streams.hpp"

namespace ringside::tool {
namespace {

// Stops early if `output` fails. Writers of directories have no `output`.
void write_events(trace::TraceSet& set, const EventFilter& filter, std::uint64_t most,
                  TraceWriter& writer, const OutputBytes* output) {
  RecordFilter records(filter);
  const bool looks = filter.looks_at_records();
  trace::Event event;
  for (std::uint64_t written = 0; written < most && set.next(event);) {
    if (output != nullptr && !output->ok()) break;
    if (looks && !records.wanted(event)) continue;
    writer.add(event);
    ++written;
  }
  writer.end();
}

int unwritten(const std::string& why) {
  complain(why);
  return kExitUnreadable;
}

// The format to send, chosen by the receiver's announcement: it may not know `format`.
const ForeignFormat& accepted_format(const ForeignFormat& format, TcpSender& receiver) {
  const std::string_view otherwise = format.sent_unless_announced;
  if (otherwise.empty() || announces(receiver, format.name)) return format;
  complain("the receiver does not announce that it accepts " + std::string(format.name) +
           ": sending " + std::string(otherwise));
  return *find_foreign_format(otherwise);
}

}  // namespace

bool can_create_output(const ConversionOptions& options, std::string* error) {
  if (options.output.empty() || options.output == "-" || is_tcp(options.output)) return true;
  if (find_foreign_format(options.format)->write_directory != nullptr) {
    std::error_code code;
    const bool exists = std::filesystem::exists(options.output, code);
    if (exists) *error = options.output + ": already exists; choose another directory";
    return !exists;
  }
  return OutputFile::create(options.output, {options.force, 0640}, error) != nullptr;
}

int convert_trace(trace::TraceSet& set, std::span<const std::string> paths,
                  const EventFilter& filter, std::uint64_t most, const ConversionOptions& options) {
  const ForeignFormat& format = *find_foreign_format(options.format);
  const ForeignFormat* written_format = &format;
  ConversionReport report;
  std::string error;
  if (format.write_directory != nullptr) {
    const auto writer = format.write_directory(options.output, report, &error);
    if (writer == nullptr) return unwritten(error);
    write_events(set, filter, most, *writer, nullptr);
    if (!writer->failure().empty()) return unwritten(writer->failure());
  } else {
    const bool standard = options.output.empty() || options.output == "-";
    std::unique_ptr<OutputFile> file;
    std::unique_ptr<TcpSender> sender;
    if (is_tcp(options.output)) {
      sender = TcpSender::connect(options.output, &error);
      if (sender == nullptr) return unwritten(error);
      written_format = &accepted_format(format, *sender);
    } else if (!standard) {
      file = OutputFile::create(options.output, {options.force, 0640}, &error);
      if (file == nullptr) return unwritten(error);
    }
    OutputBytes output([&file, &sender](std::span<const std::byte> bytes) {
      if (sender != nullptr) return sender->write(bytes);
      return file != nullptr
                 ? file->write(bytes)
                 : write_output({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    });
    const auto writer = written_format->write(output, report);
    if (written_format->draws_stacks) writer->use(nettrace::read_methods(paths, report));
    write_events(set, filter, most, *writer, &output);
    const bool written = output.flush();
    if (!output.failure().empty()) return unwritten(output.failure());
    if (sender != nullptr && !sender->finish(&error)) return unwritten(error);
    if (!written && standard) return exit_code_of_failed_output(output.error());
    if (file != nullptr && !file->commit(&error)) return unwritten(error);
  }
  for (const std::string& line : report.lines()) complain(line);
  for (const std::string& note : filter.notes()) complain(note);
  return kExitOk;
}

}  // namespace ringside::tool
