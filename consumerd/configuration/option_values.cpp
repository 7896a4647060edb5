#include "consumerd/configuration/option_values.hpp"

#include <charconv>
#include <fstream>
#include <functional>
#include <map>
#include <string>

namespace ringside::consumer {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 60;
constexpr std::chrono::seconds kMaxDuration = std::chrono::hours(24 * 365);

std::optional<gid_t> numeric_group(std::string_view text) {
  gid_t group = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, group);
  // The largest number means "none" in the kernel's interfaces.
  if (text.empty() || result.ec != std::errc() || result.ptr != end || group == UINT32_MAX) {
    return {};
  }
  return group;
}

// Reads the file itself: getgrnam() would load libraries, which a static program cannot.
std::optional<gid_t> listed_group(std::string_view name) {
  if (name.empty() || name.find(':') != std::string_view::npos) return {};
  std::ifstream groups("/etc/group");
  // NAME:PASSWORD:NUMBER:MEMBERS
  for (std::string line; std::getline(groups, line);) {
    const std::string_view rest(line);
    if (!rest.starts_with(name) || rest.substr(name.size(), 1) != ":") continue;
    const std::size_t number = rest.find(':', name.size() + 1);
    const std::size_t end = rest.find(':', number + 1);
    if (number == std::string_view::npos || end == std::string_view::npos) return {};
    return numeric_group(rest.substr(number + 1, end - number - 1));
  }
  return {};
}

}  // namespace

std::optional<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t count = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), count);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || count == 0) return {};
  return count;
}

std::optional<gid_t> group_number(std::string_view text) {
  if (const auto number = numeric_group(text)) return number;
  // Looked up once, by one thread: the sandbox hides /etc/group when the configuration is read
  // again.
  static std::map<std::string, gid_t, std::less<>> known;
  if (const auto found = known.find(text); found != known.end()) return found->second;
  const auto number = listed_group(text);
  if (number) known.emplace(text, *number);
  return number;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  constexpr std::string_view kUnits = "KMG";
  unsigned shift = 0;
  if (!text.empty()) {
    const std::size_t unit = kUnits.find(text.back());
    if (unit != std::string_view::npos) {
      shift = 10 * (static_cast<unsigned>(unit) + 1);
      text.remove_suffix(1);
    }
  }
  const std::optional<std::uint64_t> count = parse_count(text);
  if (!count || *count > kMaxBytes >> shift) return {};
  return *count << shift;
}

std::optional<std::chrono::seconds> parse_duration(std::string_view text) {
  if (text.empty()) return {};
  std::chrono::seconds unit{};
  switch (text.back()) {
    case 's':
      unit = std::chrono::seconds(1);
      break;
    case 'm':
      unit = std::chrono::minutes(1);
      break;
    case 'h':
      unit = std::chrono::hours(1);
      break;
    default:
      return {};
  }
  const std::optional<std::uint64_t> count = parse_count(text.substr(0, text.size() - 1));
  if (!count || *count > static_cast<std::uint64_t>(kMaxDuration / unit)) return {};
  return unit * static_cast<std::int64_t>(*count);
}

std::optional<std::chrono::milliseconds> parse_sync_interval(std::string_view text) {
  constexpr std::chrono::milliseconds kLongest = std::chrono::hours(1);
  std::optional<std::chrono::milliseconds> interval;
  if (text.ends_with("ms")) {
    const std::optional<std::uint64_t> count = parse_count(text.substr(0, text.size() - 2));
    if (!count || *count > static_cast<std::uint64_t>(kLongest.count())) return {};
    interval = std::chrono::milliseconds(static_cast<std::int64_t>(*count));
  } else {
    interval = parse_duration(text);
  }
  return interval && *interval <= kLongest ? interval : std::nullopt;
}

}  // namespace ringside::consumer
