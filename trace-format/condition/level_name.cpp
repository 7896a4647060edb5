#include "trace-format/condition/level_name.hpp"

#include <algorithm>

namespace ringside::trace {
namespace {

constexpr int kFirst = static_cast<int>(shm::Level::kTrace);
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
