#include "tools/interop/netlogger/netlogger_level.hpp"

#include <algorithm>
#include <utility>

#include "trace-format/condition/level_name.hpp"

namespace ringside::tool::netlogger {
namespace {

constexpr std::pair<std::string_view, shm::Level> kLevelNames[] = {
    {"none", shm::Level::kNone},       {"emergency", shm::Level::kCritical},
    {"emerg", shm::Level::kCritical},  {"alert", shm::Level::kCritical},
    {"crit", shm::Level::kCritical},   {"fatal", shm::Level::kCritical},
    {"err", shm::Level::kError},       {"warn", shm::Level::kWarning},
    {"important", shm::Level::kNotice}};

bool is_same(std::string_view name, std::string_view lower_case) {
  return std::equal(name.begin(), name.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

}  // namespace

std::optional<shm::Level> level_of(std::string_view name) {
  for (const auto& [known, level] : kLevelNames) {
    if (is_same(name, known)) return level;
  }
  return trace::level_of_name(name);
}

}  // namespace ringside::tool::netlogger
