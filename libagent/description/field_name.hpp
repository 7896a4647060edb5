#pragma once
// The name of a field, from the text of its argument.

#include <array>
#include <cstddef>
#include <string_view>

#include "shm-layout/dictionary_entry.hpp"

namespace ringside {

// Memory for one name. A byte more than a name has, to see whether a character is divided there.
using FieldNamePlace = std::array<char, shm::kMaxFieldNameBytes + 1>;

struct FieldName {
  std::string_view text;  // empty for a constant
  // The argument is a name, or RS_NAMED gives it one: placeholders of brace formats find it by
  // this.
  bool is_given = false;
};

// The name of the field that records `argument`. It refers to `argument`, or to `place` if it does
// not occur there. Takes time linear in the text.
FieldName field_name(std::string_view argument, FieldNamePlace& place);

// `text` cut to `most` bytes, or up to three fewer so that no UTF-8 character is divided.
std::string_view cut_name(std::string_view text, std::size_t most = shm::kMaxFieldNameBytes);

}  // namespace ringside
