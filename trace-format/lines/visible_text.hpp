#pragma once
// Makes control characters in texts visible, so that they have no effect on a terminal.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "trace-format/text/text_sink.hpp"

namespace ringside::trace {

// Whether the text is printable ASCII: a fast check that is true for most texts.
inline bool is_printable_ascii(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;
  const char* const begin = text.data();
  const std::size_t size = text.size();
#if defined(__SSE2__)
  if (size >= 16) {
    // As signed numbers, all bytes above 0x7F are below 0x20 too.
    const auto odd_bytes = [begin](std::size_t at) {
      const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(begin + at));
      return _mm_or_si128(_mm_cmplt_epi8(x, _mm_set1_epi8(0x20)),
                          _mm_cmpeq_epi8(x, _mm_set1_epi8(0x7F)));
    };
    __m128i found = odd_bytes(size - 16);
    for (std::size_t i = 0; i + 16 < size; i += 16) found = _mm_or_si128(found, odd_bytes(i));
    return _mm_movemask_epi8(found) == 0;
  }
#endif
  // Tests the top bit of each byte: below 0x20 the subtraction sets it, at 0x7F the addition, and
  // above 0x7F it is set already. A carry only comes from a byte that is found anyway.
  const auto odd = [](std::uint64_t x) { return (x - 0x20 * kOnes) | (x + kOnes) | x; };
  std::uint64_t found = 0;
  if (size >= 8) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i + 8 < size; i += 8) {
      std::memcpy(&word, begin + i, 8);
      found |= odd(word);
    }
    std::memcpy(&word, begin + size - 8, 8);
    found |= odd(word);
  } else {
    for (const char c : text) found |= odd(static_cast<unsigned char>(c) | 0x2020'2020'2020'2000);
  }
  return (found & 0x80 * kOnes) == 0;
}

// Replaces, in what `out` holds after `begin`, control characters (C0 except the tab, DEL, C1) and
// bytes that are not well-formed UTF-8: newline and carriage return by \n and \r, each byte of
// others by \x and two hexadecimal digits.
void make_visible(TextSink& out, std::size_t begin);

std::string visible(std::string_view text);

}  // namespace ringside::trace
