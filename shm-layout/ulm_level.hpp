#pragma once
// Levels of Universal Logger Messages: the values of LVL.

#include <cstdint>
#include <optional>
#include <string_view>

#include "level.hpp"

namespace ringside::shm {

struct UlmLevel {
  std::string_view name;  // in lower case
  Level level;
};

inline constexpr UlmLevel kUlmLevels[] = {
    {"none", Level::kNone},         {"trace", Level::kTrace},       {"debug", Level::kDebug},
    {"info", Level::kInfo},         {"notice", Level::kNotice},     {"important", Level::kNotice},
    {"warning", Level::kWarning},   {"warn", Level::kWarning},      {"error", Level::kError},
    {"err", Level::kError},         {"critical", Level::kCritical}, {"crit", Level::kCritical},
    {"fatal", Level::kCritical},    {"alert", Level::kCritical},    {"emerg", Level::kCritical},
    {"emergency", Level::kCritical}};

// Accepts Ringside's names, and those of the ULM draft and of syslog that rank an event, in upper
// or lower case. Empty for others, such as Usage or Auth.
constexpr std::optional<Level> ulm_level_of(std::string_view name) {
  for (const UlmLevel& known : kUlmLevels) {
    bool is_same = known.name.size() == name.size();
    for (std::size_t i = 0; is_same && i < name.size(); ++i) {
      const char c = name[i];
      is_same = (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) == known.name[i];
    }
    if (is_same) return known.level;
  }
  return {};
}

}  // namespace ringside::shm
