#include "trace-format/blocks/crc32c_avx512.hpp"

#if defined(__x86_64__)

#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/blocks/wide_target.hpp"

#define RINGSIDE_WIDE_CRC __attribute__((target("avx512f,avx512dq,vpclmulqdq,pclmul,sse4.2")))

namespace ringside::trace {
namespace {

// x^exponent modulo the polynomial, in reflected order.
constexpr std::uint32_t power(unsigned exponent) {
  std::uint32_t value = 0x80000000;
  for (; exponent > 0; --exponent) value = (value >> 1) ^ ((value & 1) != 0 ? 0x82F63B78 : 0);
  return value;
}

// The constants that move 16 bytes of a message by `bytes` towards its end: for their first and
// second halves.
template <unsigned bytes>
RINGSIDE_WIDE_CRC inline __m128i mover() {
  constexpr std::uint64_t kFirst = power(8 * bytes + 31);
  constexpr std::uint64_t kSecond = power(8 * bytes - 33);
  return _mm_set_epi64x(static_cast<std::int64_t>(kSecond), static_cast<std::int64_t>(kFirst));
}

RINGSIDE_WIDE_CRC inline __m512i moved(__m512i x, __m512i by, __m512i onto) {
  return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(x, by, 0x00),
                                   _mm512_clmulepi64_epi128(x, by, 0x11), onto, 0x96);
}

RINGSIDE_WIDE_CRC inline __m128i moved(__m128i x, __m128i by, __m128i onto) {
  return _mm_xor_si128(
      _mm_xor_si128(_mm_clmulepi64_si128(x, by, 0x00), _mm_clmulepi64_si128(x, by, 0x11)), onto);
}

}  // namespace

bool can_crc32c_avx512() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("vpclmulqdq") != 0 && __builtin_cpu_supports("sse4.2") != 0;
}

RINGSIDE_WIDE_CRC std::uint32_t crc32c_avx512(std::uint32_t start,
                                              std::span<const std::byte> bytes) {
  constexpr std::size_t kStep = 256;
  std::uint64_t crc = ~start;
  const std::byte* p = bytes.data();
  std::size_t left = bytes.size();
  if (left >= kStep) {
    __m512i a = _mm512_loadu_si512(p);
    __m512i b = _mm512_loadu_si512(p + 64);
    __m512i c = _mm512_loadu_si512(p + 128);
    __m512i d = _mm512_loadu_si512(p + 192);
    a = _mm512_xor_si512(
        a, _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<std::int32_t>(~start))));
    const __m512i by_step = _mm512_broadcast_i64x2(mover<kStep>());
    for (left -= kStep, p += kStep; left >= kStep; left -= kStep, p += kStep) {
      a = moved(a, by_step, _mm512_loadu_si512(p));
      b = moved(b, by_step, _mm512_loadu_si512(p + 64));
      c = moved(c, by_step, _mm512_loadu_si512(p + 128));
      d = moved(d, by_step, _mm512_loadu_si512(p + 192));
    }
    const __m512i by_64 = _mm512_broadcast_i64x2(mover<64>());
    d = moved(moved(moved(a, by_64, b), by_64, c), by_64, d);
    const __m128i by_16 = mover<16>();
    __m128i x = moved(_mm512_castsi512_si128(d), by_16, _mm512_extracti64x2_epi64(d, 1));
    x = moved(x, by_16, _mm512_extracti64x2_epi64(d, 2));
    x = moved(x, by_16, _mm512_extracti64x2_epi64(d, 3));
    crc = _mm_crc32_u64(0, static_cast<std::uint64_t>(_mm_cvtsi128_si64(x)));
    crc = _mm_crc32_u64(crc, static_cast<std::uint64_t>(_mm_extract_epi64(x, 1)));
  }
  for (; left >= 8; left -= 8, p += 8) crc = _mm_crc32_u64(crc, load<std::uint64_t>(p));
  auto narrow = static_cast<std::uint32_t>(crc);
  for (; left > 0; --left, ++p) narrow = _mm_crc32_u8(narrow, static_cast<std::uint8_t>(*p));
  return ~narrow;
}

}  // namespace ringside::trace

#endif
