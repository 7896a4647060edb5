// The characters that a value's text can consist of.
#pragma once

#include <bitset>
#include <string_view>

#include "shm-layout/field_type.hpp"

namespace ringside::trace {

struct ConversionAlphabet {
  std::bitset<256> characters;
  bool may_be_empty = false;

  bool has(char character) const { return characters[static_cast<unsigned char>(character)]; }
  void add(std::string_view more) {
    for (const char character : more) characters.set(static_cast<unsigned char>(character));
  }

  static ConversionAlphabet any() {
    ConversionAlphabet alphabet;
    alphabet.characters.set();
    alphabet.may_be_empty = true;
    return alphabet;
  }
  // No text of a value with this type, in any notation for numbers, padded with blanks or zeros,
  // has further characters. Any for texts and arrays.
  static ConversionAlphabet of_type(shm::FieldType type);
  // The same for decimal integers.
  static ConversionAlphabet of_decimal();
};

}  // namespace ringside::trace
