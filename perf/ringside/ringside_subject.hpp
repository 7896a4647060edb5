#pragma once
// Ringside's six log calls.

#include <unistd.h>

#include <ringside/ringside.hpp>

#include "perf/harness/messages.hpp"

namespace ringside::perf {

struct RingsideSubject {
  static constexpr const char* kName = "ringside";

  template <Case C>
  [[gnu::always_inline]] static void call(int /*i*/) {
    if constexpr (C == Case::static_text) {
      RS_INFO("Starting backup replica garbage collector thread");
    } else if constexpr (C == Case::string39) {
      RS_INFO("Opened session with coordinator at %s", string39());
    } else if constexpr (C == Case::integer) {
      RS_INFO("Backup storage speeds (min): %d MB/s read", integer());
    } else if constexpr (C == Case::two_integers) {
      RS_INFO("Buffer has consumed %u bytes of extra storage, current allocation: %u bytes",
              two_integers_first(), two_integers_second());
    } else if constexpr (C == Case::floating) {
      RS_INFO("Using tombstone ratio balancer with ratio = %0.6lf", floating());
    } else {
      RS_INFO(
          "Initialized InfUdDriver buffers: %u receive buffers (%u MB), %u transmit buffers "
          "(%u MB), took %0.1lf ms",
          five_first(), five_second(), five_third(), five_fourth(), five_fifth());
    }
  }

  // consumerd naps for 50 us and more, and a ring holds ten bursts.
  static void settle() { usleep(200); }
};

}  // namespace ringside::perf
