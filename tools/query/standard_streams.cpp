#include "tools/query/standard_streams.hpp"

#include <cerrno>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "tools/query/exit_codes.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {

bool write_output(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool output_is_terminal() {
  return isatty(STDOUT_FILENO) == 1;
}

int exit_code_of_failed_output(int error) {
  if (error == EPIPE) return kExitOk;
  complain("cannot write: " + std::generic_category().message(error));
  return kExitUnreadable;
}

void complain(const std::string& text) {
  fmt::print(stderr, "ringcat: {}\n", trace::visible(text));
}

int complain_of_damage(const trace::ReadReport& report) {
  for (const trace::ReadError& note : report.notes) complain(note.text());
  if (report.further_notes > 0) complain(fmt::format("{} further notes", report.further_notes));
  if (report.late_records > 0) {
    complain(
        fmt::format("{} records arrived late, after newer ones were printed", report.late_records));
  }
  if (report.damaged_bytes == 0 && report.missing_records == 0) return kExitOk;
  complain(fmt::format("{} bytes in {} places could not be read; {} records are missing",
                       report.damaged_bytes, report.damaged_blocks, report.missing_records));
  return kExitDamaged;
}

}  // namespace ringside::tool
