#pragma once
// Names for the fields of a message, from the source text of its arguments. README.md, "Names of
// fields", has the rules.

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "libagent/description/field_name.hpp"
#include "libagent/include/ringside/abi.h"

namespace ringside {

// The texts of a call's arguments after the format, of which there are as many as `parts`. False if
// it is unknown which text belongs to which argument.
bool split_arguments(std::string_view arguments, std::span<std::string_view> parts);

// The names of one statement's fields. Neither allocates nor throws. Large: for static storage.
class ArgumentNames {
 public:
  // `arguments` is the source text in the macro call: the format literal, then the arguments.
  // Returns `field_count` names (RS_MAX_FIELDS at most), each of at most shm::kMaxFieldNameBytes.
  // They differ from each other; without a text all are empty. They refer to `arguments` and to
  // this object, and are valid until the next call.
  std::span<const std::string_view> read(std::string_view arguments, std::size_t field_count);

 private:
  bool is_taken(std::string_view name) const;
  void make_distinct();
  void add_number(std::size_t index, std::string_view base);

  std::array<std::string_view, RS_MAX_FIELDS> names_{};
  std::array<FieldNamePlace, RS_MAX_FIELDS> places_{};
  std::array<bool, RS_MAX_FIELDS> is_given_{};
  std::array<bool, RS_MAX_FIELDS> is_final_{};
  std::size_t count_ = 0;
  // The last name that got a number; empty if its text is gone.
  std::string_view numbered_base_;
  std::size_t next_number_ = 2;
};

}  // namespace ringside
