#pragma once
// The six messages that NanoLog's paper measures (table 9.3), the same for all subjects. Each
// subject writes their text in its own format language; the values come from here. As printf
// formats:
//
//   static          Starting backup replica garbage collector thread
//   string39        Opened session with coordinator at %s
//   integer         Backup storage speeds (min): %d MB/s read
//   two_integers    Buffer has consumed %u bytes of extra storage, current allocation: %u bytes
//   double          Using tombstone ratio balancer with ratio = %0.6lf
//   five_arguments  Initialized InfUdDriver buffers: %u receive buffers (%u MB), %u transmit
//                   buffers (%u MB), took %0.1lf ms

#include <array>
#include <type_traits>

namespace ringside::perf {

enum class Case { static_text, string39, integer, two_integers, floating, five_arguments };

inline constexpr std::array kCases{Case::static_text,  Case::string39, Case::integer,
                                   Case::two_integers, Case::floating, Case::five_arguments};

constexpr const char* name_of(Case message) {
  constexpr const char* kNames[] = {"static",       "string39", "integer",
                                    "two_integers", "double",   "five_arguments"};
  return kNames[static_cast<int>(message)];
}

// Forces the compiler to treat the value as unknown, as it is in a service.
template <class T>
[[gnu::always_inline]] inline T opaque(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    asm volatile("" : "+x"(value));
  } else {
    asm volatile("" : "+r"(value));
  }
  return value;
}

[[gnu::always_inline]] inline const char* string39() {
  return opaque("basic+udp:host=192.168.1.140,port=12246");
}
[[gnu::always_inline]] inline int integer() {
  return opaque(181);
}
[[gnu::always_inline]] inline unsigned two_integers_first() {
  return opaque(1032024U);
}
[[gnu::always_inline]] inline unsigned two_integers_second() {
  return opaque(1016544U);
}
[[gnu::always_inline]] inline double floating() {
  return opaque(0.4);
}
[[gnu::always_inline]] inline unsigned five_first() {
  return opaque(50000U);
}
[[gnu::always_inline]] inline unsigned five_second() {
  return opaque(97U);
}
[[gnu::always_inline]] inline unsigned five_third() {
  return opaque(50U);
}
[[gnu::always_inline]] inline unsigned five_fourth() {
  return opaque(0U);
}
[[gnu::always_inline]] inline double five_fifth() {
  return opaque(26.2);
}

}  // namespace ringside::perf
