#include "consumerd/log/log.hpp"

#include <cstring>
#include <ctime>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace ringside::consumer {
namespace {

// "2026-11-21T20:18:47.123456Z"
std::string time_text() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  gmtime_r(&now.tv_sec, &parts);
  char text[64];
  const std::size_t length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  const std::string micros = std::to_string(1'000'000 + now.tv_nsec / 1000);
  return std::string(text, length) + "." + micros.substr(1) + "Z";
}

// Members in reading order. Bytes that are not UTF-8 are replaced.
std::string json_line(std::string_view level, std::string_view text, LogFields fields) {
  nlohmann::ordered_json line{
      {"time", time_text()}, {"level", level}, {"message", text}, {"pid", getpid()}};
  for (const LogField& field : fields) line[std::string(field.name)] = field.value;
  return line.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::string Log::line_of(std::string_view level, std::string_view text, LogFields fields) const {
  std::string line(in_journal_ ? journal_prefix(level) : std::string_view());
  if (format_ == LogFormat::kJson) {
    line += json_line(level, text, fields);
  } else {
    line += "consumerd: ";
    if (level == "error") line += "error: ";
    // Names of files and services are untrusted.
    line += shown(text);
  }
  return line + '\n';
}

void Log::write_line(std::string_view level, std::string_view text, LogFields fields) const {
  const std::string line = line_of(level, text, fields);
  const std::lock_guard lock(mutex_);
  // Keeps the order: the count of suppressed messages comes before the messages after them.
  if (write_suppressed() && output_.write(line)) return;
  suppressed_.fetch_add(1, std::memory_order_relaxed);
}

void Log::report_suppressed() const {
  if (suppressed_.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(mutex_);
  write_suppressed();
}

// False if standard error still takes nothing.
bool Log::write_suppressed() const {
  const std::uint64_t count = suppressed_.load(std::memory_order_relaxed);
  if (count == 0) return true;
  const std::string number = std::to_string(count);
  if (!output_.write(line_of("error",
                             number + (count == 1 ? " message was" : " messages were") +
                                 " suppressed: standard error was full or closed; read it faster, "
                                 "or redirect it to a file",
                             {{"suppressed", number}}))) {
    return false;
  }
  suppressed_.store(0, std::memory_order_relaxed);
  return true;
}

void Log::error(std::string_view text, LogFields fields) const {
  write_line("error", text, fields);
}
void Log::notice(std::string_view text, LogFields fields) const {
  write_line("notice", text, fields);
}
void Log::detail(std::string_view text, LogFields fields) const {
  if (verbose_) write_line("detail", text, fields);
}

std::string shown(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      line += c;
    } else {
      line += "\\x";
      line += kDigits[byte >> 4];
      line += kDigits[byte & 15];
    }
  }
  return line;
}

std::string error_text(int error) {
  char buffer[128];
  return strerror_r(error, buffer, sizeof buffer);
}

}  // namespace ringside::consumer
