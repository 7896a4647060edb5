#include "tools/scheduling/thread_facts.hpp"

#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

namespace ringside::tool {
namespace {

std::string line_of(pid_t pid, std::uint32_t thread_id, const char* file) {
  std::ifstream in(fmt::format("/proc/{}/task/{}/{}", pid, thread_id, file));
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace

std::string thread_name(pid_t pid, std::uint32_t thread_id) {
  return line_of(pid, thread_id, "comm");
}

std::optional<std::uint32_t> inner_thread_id(pid_t pid, std::uint32_t thread_id) {
  std::ifstream in(fmt::format("/proc/{}/task/{}/status", pid, thread_id));
  return inner_thread_id_of(in);
}

// proc(5), "NSpid": its numbers from the namespace of /proc to its own one. A thread that the
// kernel is removing has the number 0.
std::optional<std::uint32_t> inner_thread_id_of(std::istream& status) {
  constexpr std::string_view kKey = "NSpid:";
  std::string line;
  while (std::getline(status, line)) {
    if (!line.starts_with(kKey)) continue;
    const std::size_t last = line.find_last_of(" \t") + 1;
    std::uint32_t id = 0;
    const auto number = std::from_chars(line.data() + last, line.data() + line.size(), id);
    if (number.ec == std::errc() && id != 0) return id;
  }
  return {};
}

// Linux, Documentation/scheduler/sched-stats.rst: the first number of schedstat.
std::optional<std::uint64_t> processor_time_ns(pid_t pid, std::uint32_t thread_id) {
  const std::string line = line_of(pid, thread_id, "schedstat");
  std::uint64_t time_ns = 0;
  const auto number = std::from_chars(line.data(), line.data() + line.size(), time_ns);
  if (number.ec != std::errc()) return {};
  return time_ns;
}

// proc(5): field 39 of stat. The name, field 2, is in parentheses and can contain any character.
std::optional<std::uint32_t> last_processor(pid_t pid, std::uint32_t thread_id) {
  constexpr int kAfterName = 3;
  constexpr int kProcessor = 39;
  const std::string line = line_of(pid, thread_id, "stat");
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream rest(line.substr(name_end + 1));
  std::string field;
  for (int i = kAfterName; i < kProcessor; ++i) rest >> field;
  std::uint32_t processor = 0;
  if (!(rest >> processor)) return {};
  return processor;
}

}  // namespace ringside::tool
