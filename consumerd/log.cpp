#include "consumerd/log.hpp"

#include <cstring>
#include <unistd.h>

namespace ringside::consumer {
namespace {

void write_line(std::string_view kind, std::string_view text) {
  std::string line("consumerd: ");
  line += kind;
  // Names of files and services come from others: no control character reaches a terminal.
  for (const char c : text) line += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  line += '\n';
  // Nothing can be done about a standard error that does not take the line.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

void Log::error(std::string_view text) const {
  write_line("error: ", text);
}
void Log::notice(std::string_view text) const {
  write_line("", text);
}
void Log::detail(std::string_view text) const {
  if (verbose_) write_line("", text);
}

std::string error_text(int error) {
  char buffer[128];
  return strerror_r(error, buffer, sizeof buffer);
}

}  // namespace ringside::consumer
