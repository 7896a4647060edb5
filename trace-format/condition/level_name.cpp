#include "trace-format/condition/level_name.hpp"

#include <algorithm>
#include <utility>

namespace ringside::trace {
namespace {

constexpr int kFirst = static_cast<int>(shm::Level::kTrace);
// The names in other loggers.
constexpr std::pair<std::string_view, shm::Level> kAliases[] = {{"WARN", shm::Level::kWarning},
                                                                {"ERR", shm::Level::kError},
                                                                {"CRIT", shm::Level::kCritical},
                                                                {"FATAL", shm::Level::kCritical}};

constexpr int kLast = static_cast<int>(shm::Level::kCritical);

}  // namespace

std::optional<shm::Level> level_of_constant(std::string_view name) {
  for (int i = kFirst; i <= kLast; ++i) {
    const auto level = static_cast<shm::Level>(i);
    if (shm::level_name(level) == name) return level;
  }
  return {};
}

std::optional<shm::Level> level_of_name(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  for (const auto& [alias, level] : kAliases) {
    if (upper == alias) return level;
  }
  return level_of_constant(upper);
}

std::string level_names() {
  std::string names;
  for (int i = kFirst; i <= kLast; ++i) {
    if (!names.empty()) names += ", ";
    names += shm::level_name(static_cast<shm::Level>(i));
  }
  return names;
}

}  // namespace ringside::trace
