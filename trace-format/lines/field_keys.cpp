#include "trace-format/lines/field_keys.hpp"

#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace ringside::trace {

std::vector<std::string> field_keys(const Site& site, std::string (*shape)(std::string_view),
                                    const std::vector<std::string_view>& taken) {
  std::unordered_set<std::string> used;
  for (const std::string_view name : taken) used.emplace(name);
  std::unordered_map<std::string, int> uses;  // keeps the cost of many equal names low
  std::vector<std::string> keys;
  keys.reserve(site.fields.size());
  for (const Field& field : site.fields) {
    const std::string name =
        field.name.empty() ? "arg" + std::to_string(keys.size() + 1) : shape(field.name);
    int& count = uses.try_emplace(name, 1).first->second;
    std::string key = name;
    while (!used.insert(key).second) key = name + "#" + std::to_string(++count);
    keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace ringside::trace
