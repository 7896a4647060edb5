#pragma once
// One table of a configuration file: its values by type, each requested once, and all faults in
// them, with their place.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <toml++/toml.h>

#include "consumerd/configuration/option_settings.hpp"

namespace ringside::consumer {

// Collects faults as "FILE:LINE:COLUMN: what is wrong; what to write".
class ConfigurationFaults {
 public:
  explicit ConfigurationFaults(std::string path) : path_(std::move(path)) {}

  void add(const toml::source_region& where, const std::string& what);
  // "FILE:LINE" of an element of the file.
  std::string line_of(const toml::source_region& where) const;
  // In the order of their places.
  std::vector<std::string> texts() const;

 private:
  using Place = std::pair<toml::source_index, toml::source_index>;  // line, column
  std::string path_;
  std::multimap<Place, std::string> texts_;
};

class ConfigurationTable {
 public:
  // `name`: "[[sample]]", for messages; empty: the top level of the file.
  ConfigurationTable(const toml::table& table, std::string name, ConfigurationFaults& faults)
      : table_(table), name_(std::move(name)), faults_(faults) {}

  std::string place() const { return faults_.line_of(table_.source()); }  // "FILE:LINE"

  bool has(std::string_view key) const { return table_.contains(key); }

  // Empty if the key is missing, or if its value is invalid, which adds a fault.
  std::vector<std::string> texts(std::string_view key);  // a text or an array of texts
  std::optional<std::string> text(std::string_view key);
  std::optional<std::uint64_t> count(std::string_view key);  // 1 or more
  std::optional<bool> flag(std::string_view key);
  std::optional<std::chrono::seconds> duration(std::string_view key);  // "30s"
  // In the form that the command line uses.
  std::optional<std::string> value(std::string_view key, SettingType type);
  std::vector<std::string> values(std::string_view key, SettingType type);  // one, or an array

  // The key is known, but other code reads it.
  void expect(std::string_view key) { known_.emplace_back(key); }

  void fault(std::string_view key, const std::string& what);  // at the key, or at the table
  // Adds a fault for every key that was not requested.
  void refuse_others();

 private:
  using Reader = std::optional<std::string> (*)(const toml::node&);
  const toml::node* find(std::string_view key);
  std::vector<std::string> several(std::string_view key, Reader read, const char* remedy);

  const toml::table& table_;
  std::string name_;
  ConfigurationFaults& faults_;
  std::vector<std::string> known_;
};

}  // namespace ringside::consumer
