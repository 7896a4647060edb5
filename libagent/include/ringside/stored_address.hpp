#pragma once
// How an address is passed to the function that records it, and its text, which the library makes.

#include <cstdint>
#include <string.h>

#include "abi.h"
#include "stored_argument.hpp"

extern "C" {

enum rs_address_form : std::uint8_t { RS_ADDRESS_IPV4, RS_ADDRESS_IPV6, RS_ADDRESS_SOCKET };

// Of the longest: "unix:" and a path.
#define RS_ADDRESS_TEXT_BYTES 124

// Returns the length of the text.
RS_EXPORT std::uint32_t rs_address_text(char* out, const void* address, std::uint32_t bytes,
                                        enum rs_address_form form) noexcept;
}

namespace ringside::detail {

struct AddressText {
  const void* address;
  std::uint32_t bytes;
  rs_address_form form;
};

template <>
struct Stored<AddressText> {
  char text[RS_ADDRESS_TEXT_BYTES];
  std::uint32_t length;
  static constexpr bool kIsText = true;
  explicit Stored(AddressText passed)
      : length(rs_address_text(text, passed.address, passed.bytes, passed.form)) {}
  std::uint64_t bytes() const { return sizeof length + std::uint64_t{length}; }
  unsigned char* store(unsigned char* p) const {
    memcpy(p, &length, sizeof length);
    memcpy(p + sizeof length, text, length);
    return p + sizeof length + length;
  }
  rs_piece piece() const { return {text, length, RS_PIECE_TEXT}; }
};

}  // namespace ringside::detail
