#pragma once
// The fields of statements, as the conditions of the page need them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace-format/codec/site_table.hpp"

namespace ringside::tool {

// Numbers equal forms equally. A statement has several if its types differ between processes.
// Memory is bounded by kMostForms.
class RecordForms {
 public:
  static constexpr std::size_t kMostForms = 20'000;
  static constexpr std::int32_t kNone = -1;  // no site, or too many forms

  // The address of a site is valid only within its section.
  std::int32_t of(const trace::Site* site, std::uint32_t section);
  // Forms of contexts have the names of fields as they are.
  std::int32_t of_context(const trace::Site* site, std::uint32_t section);

  // The JSON of a form: an array of fields.
  const std::string& text(std::int32_t form) const {
    return *forms_[static_cast<std::size_t>(form)];
  }
  std::size_t size() const { return forms_.size(); }

 private:
  struct Key {
    const trace::Site* site = nullptr;
    std::uint32_t section = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return std::hash<const void*>()(key.site) + key.section * std::size_t{0x9E3779B97F4A7C15};
    }
  };
  static constexpr std::size_t kMostSites = 65'536;

  std::int32_t find(const trace::Site* site, std::uint32_t section, bool is_context);

  std::unordered_map<Key, std::int32_t, KeyHash> sites_;
  std::unordered_map<std::string, std::int32_t> numbers_;  // by content
  std::vector<const std::string*> forms_;                  // keys of numbers_
};

}  // namespace ringside::tool
