#pragma once
// Levels of loggers from a text: "warn,orders=debug".

#include <algorithm>

#include <ringside/compat/spdlog.hpp>

namespace spdlog::cfg {

/// A level without a name is that of all loggers, also of those that are created later. Parts that
/// name no level are ignored.
inline void load_levels(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto trimmed = [kSpace](std::string_view part) {
    const std::size_t first = part.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return std::string_view();
    return part.substr(first, part.find_last_not_of(kSpace) - first + 1);
  };
  const auto level_of = [](std::string_view part) {
    std::string name(part);
    for (char& c : name) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return std::pair(level::from_str(name), name == "off");
  };
  compat::Registry& registry = compat::Registry::instance();
  std::map<std::string, level::level_enum, std::less<>> own;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::size_t equals = part.find('=');
    const bool has_name = equals != std::string_view::npos;
    const auto [level, is_off] = level_of(trimmed(has_name ? part.substr(equals + 1) : part));
    if (level == level::off && !is_off) continue;
    if (has_name) {
      own.insert_or_assign(std::string(trimmed(part.substr(0, equals))), level);
    } else {
      set_level(level);
    }
  }
  const std::lock_guard lock(registry.mutex);
  for (const auto& [name, level] : own) {
    if (const auto it = registry.loggers.find(name); it != registry.loggers.end()) {
      it->second->set_level(level);
    }
  }
  registry.levels_of_names = std::move(own);
}

}  // namespace spdlog::cfg
