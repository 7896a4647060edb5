// Finds a short text in long ones.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ringside::trace {

// Whether `text` contains `literal`. Compares the literal's first and last byte at 16 places at a
// time.
inline bool contains_literal(std::string_view text, std::string_view literal) {
  const std::size_t bytes = literal.size();
  if (bytes == 0) return true;
  if (text.size() < bytes) return false;
  const char* p = text.data();
  const char* const last = p + (text.size() - bytes);  // the last possible place
#if defined(__SSE2__)
  constexpr std::size_t kWidth = 16;
  const __m128i front = _mm_set1_epi8(literal.front());
  const __m128i back = _mm_set1_epi8(literal.back());
  while (static_cast<std::size_t>(last - p) + 1 >= kWidth) {
    const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + bytes - 1));
    auto places = static_cast<unsigned>(
        _mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(a, front), _mm_cmpeq_epi8(b, back))));
    for (; places != 0; places &= places - 1) {
      if (std::memcmp(p + __builtin_ctz(places), literal.data(), bytes) == 0) return true;
    }
    p += kWidth;
  }
#endif
  for (; p <= last; ++p) {
    if (*p == literal.front() && std::memcmp(p, literal.data(), bytes) == 0) return true;
  }
  return false;
}

}  // namespace ringside::trace
