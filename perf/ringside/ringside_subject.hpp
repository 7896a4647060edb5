#pragma once
// Ringside's six log calls.

#include <optional>
#include <unistd.h>

#include <ringside/ringside.hpp>

#include "perf/harness/messages.hpp"

namespace ringside::perf {

// The call of case C by `log`, which is RS_INFO or a macro like it.
#define RINGSIDE_PERF_CALL(log)                                                                    \
  if constexpr (C == Case::static_text) {                                                          \
    log("Starting backup replica garbage collector thread");                                       \
  } else if constexpr (C == Case::string39) {                                                      \
    log("Opened session with coordinator at %s", string39());                                      \
  } else if constexpr (C == Case::integer) {                                                       \
    log("Backup storage speeds (min): %d MB/s read", integer());                                   \
  } else if constexpr (C == Case::two_integers) {                                                  \
    log("Buffer has consumed %u bytes of extra storage, current allocation: %u bytes",             \
        two_integers_first(), two_integers_second());                                              \
  } else if constexpr (C == Case::floating) {                                                      \
    log("Using tombstone ratio balancer with ratio = %0.6lf", floating());                         \
  } else {                                                                                         \
    log("Initialized InfUdDriver buffers: %u receive buffers (%u MB), %u transmit buffers (%u MB)" \
        ", took %0.1lf ms",                                                                        \
        five_first(), five_second(), five_third(), five_fourth(), five_fifth());                   \
  }
#define RINGSIDE_PERF_UNDATED(...) RS_LOG_CONSUMER_CLOCK(RS_LEVEL_INFO, __VA_ARGS__)

struct RingsideSubject {
  static constexpr const char* kName = "ringside";

  template <Case C>
  [[gnu::always_inline]] static void call(int /*i*/) {
    RINGSIDE_PERF_CALL(RS_INFO)
  }

  // consumerd naps for 50 us or longer, and a ring holds ten bursts.
  static void settle() { usleep(200); }
};

// Without a clock read: the consumer timestamps the records.
struct UndatedSubject {
  static constexpr const char* kName = "ringside";

  template <Case C>
  [[gnu::always_inline]] static void call(int /*i*/) {
    RINGSIDE_PERF_CALL(RINGSIDE_PERF_UNDATED)
  }

  static void settle() { usleep(200); }
};

// In the scope of a Burst that is renewed before each of the harness's bursts.
struct BurstSubject {
  static constexpr const char* kName = "ringside";
  static inline std::optional<ringside::Burst> burst;

  template <Case C>
  [[gnu::always_inline]] static void call(int /*i*/) {
    [[maybe_unused]] const ringside::Burst& rs_burst = *burst;
    RINGSIDE_PERF_CALL(RS_INFO)
  }

  static void settle() {
    usleep(200);
    burst.emplace();
  }
};

#undef RINGSIDE_PERF_CALL
#undef RINGSIDE_PERF_UNDATED

}  // namespace ringside::perf
