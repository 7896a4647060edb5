#include "consumerd/configuration/configuration_table.hpp"

#include <algorithm>
#include <optional>

#include "consumerd/configuration/option_values.hpp"

namespace ringside::consumer {
namespace {

std::optional<std::string> text_of(const toml::node& node) {
  const auto* const text = node.as_string();
  if (text == nullptr || text->get().find('\0') != std::string::npos) return {};
  return text->get();
}

std::optional<std::string> number_of(const toml::node& node) {
  if (const auto* const number = node.as_integer()) return std::to_string(number->get());
  return text_of(node);
}

std::optional<std::string> flag_of(const toml::node& node) {
  const auto* const flag = node.as_boolean();
  if (flag == nullptr) return {};
  return flag->get() ? "true" : "false";
}

constexpr const char* kTexts =
    "must be a string or an array such as [\"one\", \"two\"]; empty strings are not allowed";

}  // namespace

void ConfigurationFaults::add(const toml::source_region& where, const std::string& what) {
  texts_.emplace(Place{where.begin.line, where.begin.column},
                 path_ + ":" + std::to_string(where.begin.line) + ":" +
                     std::to_string(where.begin.column) + ": " + what);
}

std::string ConfigurationFaults::line_of(const toml::source_region& where) const {
  return path_ + ":" + std::to_string(where.begin.line);
}

std::vector<std::string> ConfigurationFaults::texts() const {
  std::vector<std::string> texts;
  for (const auto& [place, text] : texts_) texts.push_back(text);
  return texts;
}

const toml::node* ConfigurationTable::find(std::string_view key) {
  known_.emplace_back(key);
  return table_.get(key);
}

void ConfigurationTable::fault(std::string_view key, const std::string& what) {
  const toml::node* const node = table_.get(key);
  std::string place = name_.empty() ? "" : name_ + ": ";
  if (!key.empty()) place += std::string(key) + ": ";
  faults_.add(node == nullptr ? table_.source() : node->source(), place + what);
}

std::vector<std::string> ConfigurationTable::several(std::string_view key, Reader read,
                                                     const char* remedy) {
  const toml::node* const node = find(key);
  if (node == nullptr) return {};
  std::vector<std::string> values;
  bool sound = true;
  const auto take = [&](const toml::node& element) {
    const auto value = read(element);
    sound = sound && value && !value->empty();
    values.push_back(value.value_or(""));
  };
  if (const toml::array* const elements = node->as_array()) {
    for (const toml::node& element : *elements) take(element);
  } else {
    take(*node);
  }
  if (sound && !values.empty()) return values;
  fault(key, remedy);
  return {};
}

std::vector<std::string> ConfigurationTable::texts(std::string_view key) {
  return several(key, text_of, kTexts);
}

std::vector<std::string> ConfigurationTable::values(std::string_view key, SettingType type) {
  if (type == SettingType::kText) return texts(key);
  return several(key, number_of, "must be a number or an array such as [1, 2]");
}

std::optional<std::string> ConfigurationTable::text(std::string_view key) {
  const toml::node* const node = find(key);
  if (node == nullptr) return {};
  if (auto text = text_of(*node)) return text;
  fault(key, "must be a string in quotation marks");
  return {};
}

std::optional<std::uint64_t> ConfigurationTable::count(std::string_view key) {
  const toml::node* const node = find(key);
  if (node == nullptr) return {};
  if (const auto* const number = node->as_integer()) {
    if (number->get() > 0) return static_cast<std::uint64_t>(number->get());
  }
  fault(key, "must be an integer of at least 1");
  return {};
}

std::optional<bool> ConfigurationTable::flag(std::string_view key) {
  const toml::node* const node = find(key);
  if (node == nullptr) return {};
  if (const auto* const flag = node->as_boolean()) return flag->get();
  fault(key, "must be true or false");
  return {};
}

std::optional<std::chrono::seconds> ConfigurationTable::duration(std::string_view key) {
  const toml::node* const node = find(key);
  if (node == nullptr) return {};
  if (const auto* const text = node->as_string()) {
    if (text->get() == "0s") return std::chrono::seconds(0);
    if (const auto duration = parse_duration(text->get())) return *duration;
  }
  fault(key, "must be a duration such as \"30s\", \"10m\" or \"1h\"");
  return {};
}

std::optional<std::string> ConfigurationTable::value(std::string_view key, SettingType type) {
  if (type == SettingType::kText) return text(key);
  const toml::node* const node = find(key);
  if (node == nullptr) return {};
  const bool is_flag = type == SettingType::kFlag;
  if (auto value = is_flag ? flag_of(*node) : number_of(*node)) return value;
  fault(key, is_flag ? "must be true or false" : "must be a number or a string such as \"100M\"");
  return {};
}

void ConfigurationTable::refuse_others() {
  for (const auto& [key, node] : table_) {
    if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
    std::string known;
    for (const std::string& one : known_) known += (known.empty() ? "" : ", ") + one;
    faults_.add(key.source(), (name_.empty() ? "" : name_ + ": ") + "unknown key " +
                                  std::string(key.str()) + "; known keys: " + known);
  }
}

}  // namespace ringside::consumer
