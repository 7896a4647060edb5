// The content of dictionary entries: the sites and the names of enumerations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/field_type.hpp"
#include "shm-layout/level.hpp"
#include "trace-format/codec/read_plan.hpp"
#include "trace-format/codec/site_plan.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::trace {

// Names of an enumeration's values. Empty while only a field that refers to it is known.
struct EnumTable {
  std::vector<std::pair<std::int64_t, std::string>> names;  // by rising value

  std::string_view find(std::int64_t value) const;  // empty if the value has no name
};

struct Field {
  shm::FieldType type = shm::FieldType::none;  // of an element if is_array
  bool is_array = false;
  std::uint8_t flags = 0;  // shm::kFieldConstant, shm::kFieldFormatArg
  std::uint32_t enum_table_id = 0;
  std::string name;
  std::string constant;                   // constant_value() in site_table.cpp describes its form
  const EnumTable* enum_table = nullptr;  // of enumerations; owned by the SiteTable

  bool is_constant() const { return (flags & shm::kFieldConstant) != 0; }
};

struct Site {
  std::uint32_t id = 0;
  std::uint32_t line = 0;
  std::uint64_t keywords = 0;
  shm::SiteKind kind = shm::SiteKind::kLog;
  shm::Level level = shm::Level::kNone;
  std::uint8_t style = 0;  // shm::FormatStyle
  std::uint8_t flags = 0;  // shm::kSiteConsumerClock
  std::string name;
  std::string category;
  std::string format;
  std::string file;
  std::string function;
  std::vector<Field> fields;
  SitePlan plan;
  ReadPlan reading;
  // One for each field: constants have their value, others are 0 or empty. Texts of constants
  // point into `fields`.
  std::vector<Value> initial_values;
};

// Not thread-safe while add() runs; afterwards any number of threads may read. Sites never move or
// disappear, so pointers to them live as long as the table.
class SiteTable {
 public:
  SiteTable() = default;
  SiteTable(const SiteTable&) = delete;
  SiteTable& operator=(const SiteTable&) = delete;

  // Adds complete dictionary entries, byte for byte as in the segment (a private copy) or in a
  // DICTIONARY block. Entries of unknown kind are skipped; the first definition of an id applies.
  // Returns false with `*why` at the first invalid entry; the entries before it are kept.
  bool add(std::span<const std::byte> entries, std::string* why);

  const Site* find(std::uint32_t id) const { return id < sites_.size() ? sites_[id] : nullptr; }

  // All known sites have smaller ids.
  std::uint32_t id_limit() const { return static_cast<std::uint32_t>(sites_.size()); }
  std::size_t size() const { return owned_.size(); }
  // In the order of definition, `index` below size(). Ids may come in any order.
  const Site& defined(std::size_t index) const { return *owned_[index]; }

  // Calls visit(const Site&) in the order of definition.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& site : owned_) visit(*site);
  }

 private:
  bool add_site(std::span<const std::byte> entry, std::string* why);
  bool add_enum_table(std::span<const std::byte> entry, std::string* why);

  std::vector<const Site*> sites_;  // by id
  std::vector<std::unique_ptr<Site>> owned_;
  std::map<std::uint32_t, EnumTable> enums_;  // nodes do not move
};

}  // namespace ringside::trace
