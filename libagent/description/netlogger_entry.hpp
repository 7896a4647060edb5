#pragma once
// The dictionary entry of a NetLogger statement, from its texts.

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "libagent/include/ringside/abi.h"
#include "shm-layout/dictionary_entry.hpp"

namespace ringside {

// Names, types and values; views into the statement's texts. Large: for static storage.
class NetloggerConstants {
 public:
  void clear() { count_ = 0; }

  // Stored as a number if `value` is a decimal number in C syntax of at most 64 bits, otherwise as
  // text. Returns false if there are too many.
  bool add(std::string_view name, std::string_view value, bool is_quoted);

  // Sets the first of `fields`, which refer to this object, and returns how many.
  std::size_t describe(std::span<shm::FieldDescription> fields) const;

 private:
  struct Constant {
    shm::FieldType type{};
    std::string_view name;
    std::string_view text;
    std::array<char, 8> number{};
  };

  void set_number(std::string_view text, Constant& constant) const;

  std::array<Constant, RS_MAX_FIELDS> constants_;
  std::size_t count_ = 0;
};

// Sets the level of `site` (RS_SITE_NETLOGGER) to that of its constants. In C its initialiser
// cannot have it.
void set_netlogger_level(rs_site& site);

// Reads the texts of `site` (RS_SITE_NETLOGGER), whose fields are known: fills in name, kind and
// format of its entry, the names of its variables and the constants. False if they are malformed.
bool read_netlogger_texts(const rs_site& site, shm::SiteDescription& description,
                          std::span<std::string_view> names, NetloggerConstants& constants);

}  // namespace ringside
