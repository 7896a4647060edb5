/* How a long double is stored: 10 bytes, as x87 has it (shm-layout/field_type.hpp, f80). Part of
 * abi.h. */
#ifndef RINGSIDE_X87_BYTES_H
#define RINGSIDE_X87_BYTES_H

#include "required_platform.h"
/* Before all others. */
#include <float.h>
#include <stdint.h>

#define RS_X87_BYTES 10

#if LDBL_MANT_DIG != 64
#if LDBL_MANT_DIG != 113
#error "Ringside needs a long double of x87 or of 128 bits; -mlong-double-64 is not supported"
#endif
/* From 128 bits, whose exponent and sign are the same: a mantissa of 64 bits, rounded to nearest,
 * with a tie to even. */
static inline void rs_round_to_x87(const uint64_t* halves, uint64_t* mantissa,
                                   uint64_t* exponent_and_sign) {
  const uint64_t kHalf = UINT64_C(1) << 48;
  const uint64_t exponent = halves[1] >> 48;
  const uint64_t leading = (exponent & 0x7FFF) != 0 ? UINT64_C(1) << 63 : 0;
  const uint64_t rest = halves[0] & (2 * kHalf - 1);
  uint64_t kept = leading | (halves[1] & (kHalf - 1)) << 15 | halves[0] >> 49;
  *exponent_and_sign = exponent;
  if ((exponent & 0x7FFF) == 0x7FFF) {
    if (rest != 0) kept |= 1; /* a NaN stays one */
  } else if (rest > kHalf || (rest == kHalf && (kept & 1) != 0)) {
    kept += 1;
    if (kept == 0 || (leading == 0 && kept >> 63 != 0)) {
      kept = UINT64_C(1) << 63;
      *exponent_and_sign = exponent + 1;
    }
  }
  *mantissa = kept;
}
#endif

/* Stores the long double at `number`. */
static inline void rs_store_x87(unsigned char* out, const void* number) {
#if LDBL_MANT_DIG == 64
  __builtin_memcpy(out, number, RS_X87_BYTES);
#else
  uint64_t halves[2];
  uint64_t mantissa;
  uint64_t exponent_and_sign;
  __builtin_memcpy(halves, number, sizeof halves);
  rs_round_to_x87(halves, &mantissa, &exponent_and_sign);
  __builtin_memcpy(out, &mantissa, sizeof mantissa);
  __builtin_memcpy(out + sizeof mantissa, &exponent_and_sign, RS_X87_BYTES - sizeof mantissa);
#endif
}

#endif
