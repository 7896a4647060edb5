/* One error for processors that Ringside does not support. Included before all other headers,
 * because a compiler for another processor may lack the standard ones. Part of abi.h. */
#ifndef RINGSIDE_REQUIRED_PLATFORM_H
#define RINGSIDE_REQUIRED_PLATFORM_H

#if !defined(__LP64__) || !(defined(__x86_64__) || defined(__aarch64__)) || \
    !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Ringside needs a 64-bit, little-endian processor: build for x86-64 or AArch64 (LP64)"
#endif

#endif
