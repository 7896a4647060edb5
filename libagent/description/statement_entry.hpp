#pragma once
// The dictionary entry of a statement, with the tables of its enumerations that are not in the
// dictionary yet.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "libagent/description/field_types.hpp"
#include "libagent/description/netlogger_entry.hpp"
#include "libagent/description/typed_fields.hpp"
#include "libagent/include/ringside/abi.h"
#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/printf_fields.hpp"
#include "shm-layout/stacked_site.hpp"

namespace ringside {

// Refers to the statement. The agent's lock is held. Most of it is in static storage, because it is
// too large for the stack of a signal handler: there is one at a time.
class StatementEntry {
 public:
  struct Table {
    rs_enumeration* enumeration = nullptr;
    std::uint32_t id = 0;
  };

  explicit StatementEntry(const rs_site& site);

  // `conversions`: of a printf format, otherwise none. Null, or why the statement is refused.
  const char* read(std::uint32_t id, const shm::FieldList& conversions);

  // After read(): makes it the entry for the statement's records with a stack, which have one field
  // more. False if it has such a field already, or too many.
  bool add_stack();
  bool has_stack() const { return (description_.flags & shm::kSiteWithStack) != 0; }

  // Bytes of the tables and the entry, if they are written at `at` of the dictionary.
  std::size_t bytes(std::uint64_t at);
  // Whether a part of it is larger than an entry may be.
  bool is_too_large() const { return is_too_large_; }
  // Whether consumers before ABI 1.7 skip it.
  bool is_wide() const { return field_count_ > shm::kMaxNarrowFields; }
  void write(std::byte* out) const;
  // The tables are in the dictionary now.
  void note_tables() const;

  const rs_site& site() const { return site_; }

 private:
  std::span<const shm::FieldDescription> fields() const { return fields_.first(field_count_); }

  const rs_site& site_;
  shm::SiteDescription description_;
  NetloggerConstants& constants_;
  TypedFields typed_;
  std::span<shm::FieldDescription> fields_;
  std::size_t field_count_ = 0;
  std::span<Table> tables_;
  std::size_t table_count_ = 0;
  bool is_too_large_ = false;
};

}  // namespace ringside
