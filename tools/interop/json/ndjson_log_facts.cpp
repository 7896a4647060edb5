#include "tools/interop/json/ndjson_log_facts.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "tools/interop/json/json_decimal.hpp"
#include "tools/text/time_argument.hpp"
#include "trace-format/condition/level_name.hpp"

namespace ringside::tool::ndjson {
namespace {

enum class LogFact : std::uint8_t {
  kTime,
  kLevel,
  kMessage,
  kCategory,
  kService,
  kHost,
  kPid,
  kThread,
  kThreadName,
  kDuration
};

constexpr std::pair<std::string_view, LogFact> kLogNames[] = {
    {"@timestamp", LogFact::kTime},
    {"category", LogFact::kCategory},
    {"datetime", LogFact::kTime},
    {"duration_ns", LogFact::kDuration},
    {"host", LogFact::kHost},
    {"host.name", LogFact::kHost},
    {"hostname", LogFact::kHost},
    {"level", LogFact::kLevel},
    {"levelname", LogFact::kLevel},
    {"log.level", LogFact::kLevel},
    {"log.logger", LogFact::kCategory},
    {"logger", LogFact::kCategory},
    {"logger_name", LogFact::kCategory},
    {"lvl", LogFact::kLevel},
    {"message", LogFact::kMessage},
    {"msg", LogFact::kMessage},
    {"pid", LogFact::kPid},
    {"process.pid", LogFact::kPid},
    {"service", LogFact::kService},
    {"service.name", LogFact::kService},
    {"severity", LogFact::kLevel},
    {"target", LogFact::kCategory},
    {"thread", LogFact::kThread},
    {"thread.id", LogFact::kThread},
    {"thread.name", LogFact::kThreadName},
    {"thread_id", LogFact::kThread},
    {"thread_name", LogFact::kThreadName},
    {"tid", LogFact::kThread},
    {"time", LogFact::kTime},
    {"timestamp", LogFact::kTime},
    {"ts", LogFact::kTime},
    {"unix_ns", LogFact::kTime},
};

bool is_scalar(const JsonNode& node) {
  return node.is_text() || node.is_integer();
}

}  // namespace

std::optional<std::uint64_t> unix_ns_of(const JsonNode& time) {
  std::optional<std::int64_t> ns;
  if (time.is_text() && time.text.find_first_not_of("0123456789.") != std::string_view::npos) {
    // Excludes the other times that people can type: "now", "-5m".
    const bool has_date = time.text.size() >= 19 && time.text[4] == '-' && time.text[13] == ':';
    std::string why;
    const auto read = has_date ? parse_time(time.text, 0, true, &why) : std::nullopt;
    if (read && *read <= std::uint64_t{std::numeric_limits<std::int64_t>::max()}) return read;
    return {};
  }
  const auto whole = scaled_decimal(time, 0);
  if (!whole || *whole < 0) return {};
  // Seconds up to the year 5138, and so on.
  const unsigned decimals = *whole < 100'000'000'000           ? 9
                            : *whole < 100'000'000'000'000     ? 6
                            : *whole < 100'000'000'000'000'000 ? 3
                                                               : 0;
  ns = scaled_decimal(time, decimals);
  if (!ns) return {};
  return static_cast<std::uint64_t>(*ns);
}

std::optional<shm::Level> log_level_of(const JsonNode& level) {
  using shm::Level;
  if (level.kind == JsonKind::kUnsigned) {
    constexpr Level kLevels[] = {Level::kTrace,   Level::kDebug, Level::kInfo,
                                 Level::kWarning, Level::kError, Level::kCritical};
    if (level.low % 10 != 0 || level.low < 10 || level.low > 60) return {};
    return kLevels[level.low / 10 - 1];
  }
  if (!level.is_text()) return {};
  if (const auto own = trace::level_of_name(level.text)) return own;
  constexpr std::pair<std::string_view, Level> kNames[] = {
      {"warn", Level::kWarning},       {"err", Level::kError},        {"fatal", Level::kCritical},
      {"crit", Level::kCritical},      {"panic", Level::kCritical},   {"emerg", Level::kCritical},
      {"alert", Level::kCritical},     {"information", Level::kInfo}, {"verbose", Level::kDebug},
      {"informational", Level::kInfo}, {"fine", Level::kDebug},       {"severe", Level::kError},
  };
  const auto is_alike = [&level](std::string_view name) {
    return std::equal(name.begin(), name.end(), level.text.begin(), level.text.end(),
                      [](char small, char any) {
                        return small == (any >= 'A' && any <= 'Z' ? any - 'A' + 'a' : any);
                      });
  };
  for (const auto& [name, meaning] : kNames) {
    if (is_alike(name)) return meaning;
  }
  return {};
}

void LogFacts::look(const JsonTree& tree) {
  std::vector<std::uint32_t> emptied = std::move(fields);
  *this = LogFacts();
  fields = std::move(emptied);
  fields.clear();
  const auto take = [](const JsonNode*& place, const JsonNode& node) {
    if (place != nullptr || !is_scalar(node)) return false;
    place = &node;
    return true;
  };
  const auto taken = [&](LogFact fact, const JsonNode& node) {
    switch (fact) {
      case LogFact::kTime:
        if (unix_ns) return false;
        unix_ns = unix_ns_of(node);
        return unix_ns.has_value();
      case LogFact::kLevel:
        if (level) return false;
        level = log_level_of(node);
        return level.has_value();
      case LogFact::kMessage:
        return node.is_text() && take(message, node);
      case LogFact::kCategory:
        return node.is_text() && take(category, node);
      case LogFact::kService:
        return node.is_text() && take(service, node);
      case LogFact::kHost:
        return node.is_text() && take(host, node);
      case LogFact::kPid:
        return take(pid, node);
      case LogFact::kThread:
        return take(thread, node);
      case LogFact::kThreadName:
        return node.is_text() && take(thread_name, node);
      case LogFact::kDuration:
        return node.kind == JsonKind::kUnsigned && take(duration, node);
    }
    return false;
  };
  tree.for_each_in(0, [&](std::uint32_t i) {
    const JsonNode& node = tree.nodes()[i];
    const auto* const found =
        std::lower_bound(std::begin(kLogNames), std::end(kLogNames), node.key,
                         [](const auto& entry, std::string_view key) { return entry.first < key; });
    const bool is_known = found != std::end(kLogNames) && found->first == node.key;
    if (!is_known || !taken(found->second, node)) fields.push_back(i);
  });
}

}  // namespace ringside::tool::ndjson
