// For the files with AVX-512 kernels, which are compiled like all others: only functions marked
// RINGSIDE_WIDE use instructions that not every processor has.
#pragma once

#if !defined(__clang__)
// GCC 12 mistakes the undefined operands inside its own intrinsics for errors.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

#define RINGSIDE_WIDE                                                                  \
  __attribute__((                                                                      \
      target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vbmi,avx512vbmi2,bmi," \
             "bmi2,lzcnt,popcnt")))
#define RINGSIDE_INLINE RINGSIDE_WIDE inline __attribute__((always_inline))
