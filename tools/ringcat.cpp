// ringcat: trace files as text.

#include <cerrno>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "tools/ringcat_options.hpp"
#include "tools/trace_text.hpp"
#include "trace-format/trace_set.hpp"

namespace ringside::tool {
namespace {

bool write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void complain(const std::string& text) {
  fmt::print(stderr, "ringcat: {}\n", text);
}

bool report_damage(const trace::ReadReport& report) {
  for (const trace::ReadError& note : report.notes) complain(note.text());
  if (report.further_notes > 0) complain(fmt::format("{} further notes", report.further_notes));
  if (report.late_records > 0) {
    complain(
        fmt::format("{} records arrived after younger ones had been printed", report.late_records));
  }
  if (report.damaged_bytes == 0 && report.missing_records == 0) return false;
  complain(fmt::format("{} bytes in {} places could not be read; {} records are missing",
                       report.damaged_bytes, report.damaged_blocks, report.missing_records));
  return true;
}

int print_trace(const RingcatOptions& options) {
  trace::ReadError error;
  std::optional<trace::TraceSet> set = trace::TraceSet::open(options.paths, &error);
  if (!set) {
    complain(error.text());
    return kExitUnreadable;
  }
  int failure = 0;
  const bool whole =
      write_trace_text(*set, {options.utc, options.threads}, [&failure](std::string_view text) {
        if (write_all(text)) return true;
        failure = errno;
        return false;
      });
  if (!whole) {
    // A reader that has seen enough (head, less) is no failure.
    if (failure == EPIPE) return kExitOk;
    complain(std::string("cannot write: ") + std::generic_category().message(failure));
    return kExitUnreadable;
  }
  return report_damage(set->report()) ? kExitDamaged : kExitOk;
}

}  // namespace
}  // namespace ringside::tool

int main(int argc, char** argv) {
  using namespace ringside::tool;
  try {
    int exit_code = kExitOk;
    const auto options = parse_ringcat_options(argc, argv, &exit_code);
    return options ? print_trace(*options) : exit_code;
  } catch (const std::exception& error) {
    complain(error.what());
    return kExitUnreadable;
  }
}
