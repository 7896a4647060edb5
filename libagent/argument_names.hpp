#pragma once
// Names for the fields of a message, from the source text of its arguments. README.md, "Names of
// fields", has the rules.

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "libagent/field_name.hpp"
#include "libagent/include/ringside/abi.h"

namespace ringside {

// The names of one statement's fields. Neither allocates nor throws. Large: for static storage.
class ArgumentNames {
 public:
  // `arguments` is the source text in the macro call: the format literal, then the arguments.
  // Returns `field_count` names (RS_MAX_FIELDS at most), each of at most shm::kMaxFieldNameBytes.
  // No two are equal, but all are empty if there is no text. They refer to `arguments` and to this
  // object, and are valid until the next call.
  std::span<const std::string_view> read(std::string_view arguments, std::size_t field_count);

 private:
  bool is_taken(std::string_view name) const;
  void make_distinct();
  void add_number(std::size_t index, std::string_view base);

  std::array<std::string_view, RS_MAX_FIELDS> names_{};
  std::array<FieldNamePlace, RS_MAX_FIELDS> places_{};
  std::array<bool, RS_MAX_FIELDS> is_final_{};
  std::size_t count_ = 0;
};

}  // namespace ringside
