/* What a statement asks its gates (gate.h), inlined into it. Not for direct use. C11, and C++17 and
 * later. */
#ifndef RINGSIDE_GATE_DECISION_H
#define RINGSIDE_GATE_DECISION_H

#include "abi.h"

#ifdef __cplusplus
#include <cstdint>

extern "C" {
#endif

/* What a gate remembers. Lines of its own: threads write them while others execute statements. */
struct rs_gate_word {
  int64_t value; /* atomic */
  /* RS_EVERY_MS: the first thread that it suppressed, by the address of its rs_thread_state. */
  uint64_t owner; /* atomic */
  uint8_t padding_of_value[48];
  /* Executions of the owner that it suppressed, written by that thread alone. */
  uint64_t suppressed;
  uint8_t padding_of_suppressed[56];
} __attribute__((aligned(64)));

enum rs_gate_kind { RS_GATE_IF = 1, RS_GATE_EVERY_N, RS_GATE_FIRST_N, RS_GATE_EVERY_MS };

/* One gate, as its statement finds it: a compiler that optimises keeps it in registers. */
struct rs_gate {
  const struct rs_gate* outer; /* asked first, or null */
  struct rs_gate_word* word;
  int64_t number; /* the condition, executions, or milliseconds */
  enum rs_gate_kind kind;
};

/* Executions of one RS_EVERY_N or RS_EVERY_MS that are counted one by one, then in batches of as
 * many: counting takes as long as what the gate itself does. A power of two. */
#define RS_GATE_BATCH 64

/* Whether `period_ms` have passed since the last time this returned 1, by the clock's ticks: up to
 * one tick (1 to 10 ms) late, never early. Counts the execution if not: the owner in batches, and
 * without an atomic addition. */
RS_EXPORT int rs_gate_is_due(struct rs_gate_word* word, int64_t period_ms, struct rs_site* site);

/* rs_gate_passes() for a gate around another one. */
RS_EXPORT int rs_outer_gate_passes(const struct rs_gate* gate, struct rs_site* site);

/* Counts what was suppressed up to an execution of RS_EVERY_N since the last one that counted.
 * `execution`: index, from 0. */
RS_EXPORT void rs_gate_count(int64_t execution, int64_t n, struct rs_site* site);

/* Whether to record an execution of an enabled statement. Counts it if not. */
RS_HOT int rs_gate_passes(const struct rs_gate* gate, struct rs_site* site) {
  int64_t* const word = &gate->word->value;
  const int64_t number = gate->number;
  if (gate->outer && !rs_outer_gate_passes(gate->outer, site)) return 0;
  switch (gate->kind) {
    case RS_GATE_IF:
      if (number != 0) return 1;
      break;
    case RS_GATE_EVERY_N: {
      const int64_t execution = __atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
      if (execution < RS_GATE_BATCH || execution % RS_GATE_BATCH == RS_GATE_BATCH - 1) {
        rs_gate_count(execution, number, site);
      }
      return execution % number == 0;
    }
    case RS_GATE_FIRST_N:
      /* Tested first, so that a gate that is closed for good is only read. */
      if (__atomic_load_n(word, __ATOMIC_RELAXED) < number &&
          __atomic_fetch_add(word, 1, __ATOMIC_RELAXED) < number) {
        return 1;
      }
      break;
    case RS_GATE_EVERY_MS:
      return rs_gate_is_due(gate->word, number, site);
  }
  rs_count_suppressed(site, 1);
  return 0;
}

#ifdef __cplusplus
}

namespace ringside::detail {

// A statement asks `rs_site_enabled`, an unqualified name. A gate around it declares a local object
// of this name, so that statements without a gate call the function and do not know about gates.
struct Gate {
  rs_gate gate;
  [[gnu::always_inline]] std::uint8_t operator()(rs_site* site) const {
    const std::uint8_t state = ::rs_site_enabled(site);
    return state != 0 && rs_gate_passes(&gate, site) != 0 ? state : std::uint8_t{0};
  }
};

constexpr const rs_gate* gate_of(std::uint8_t (&/*function*/)(rs_site*)) {
  return nullptr;
}
constexpr const rs_gate* gate_of(const Gate& outer) {
  return &outer.gate;
}

}  // namespace ringside::detail

#define RS_OUTER_GATE_ ::ringside::detail::gate_of(rs_site_enabled)
#define RS_DECLARE_GATE_(outer_, word_, number_, kind_)               \
  [[maybe_unused]] const ::ringside::detail::Gate rs_site_enabled = { \
      {outer_, word_, number_, kind_}}
#define RS_STATIC_ASSERT_ static_assert
#define RS_GATE_NUMBER_(number_) static_cast<std::int64_t>(number_)
#else

/* The gate around a statement: a macro of this file declares a local one. */
static const struct rs_gate* const rs_gate_ __attribute__((unused)) = 0;

/* rs_site_enabled(), and what `gate` says. */
RS_HOT uint8_t rs_site_passes_(struct rs_site* site, const struct rs_gate* gate) {
  const uint8_t state = rs_site_enabled(site);
  return gate == 0 || state == 0 || rs_gate_passes(gate, site) ? state : 0;
}

#define RS_OUTER_GATE_ rs_gate_
#define RS_DECLARE_GATE_(outer_, word_, number_, kind_)                        \
  const struct rs_gate rs_own_gate_ = {(outer_), (word_), (number_), (kind_)}; \
  const struct rs_gate* const rs_gate_ __attribute__((unused)) = &rs_own_gate_
#define RS_STATIC_ASSERT_ _Static_assert
#define RS_GATE_NUMBER_(number_) (int64_t)(number_)
#endif

/* Names are declared again by a gate within a gate. */
#define RS_GATE_(kind_, number_, ...)                                                            \
  do {                                                                                           \
    _Pragma("GCC diagnostic push")                                                               \
        _Pragma("GCC diagnostic ignored \"-Wshadow\"") static struct rs_gate_word rs_gate_word_; \
    const int64_t rs_gate_number_ = RS_GATE_NUMBER_(number_);                                    \
    const struct rs_gate* const rs_outer_gate_ = RS_OUTER_GATE_;                                 \
    {                                                                                            \
      RS_DECLARE_GATE_(rs_outer_gate_, &rs_gate_word_, rs_gate_number_, kind_);                  \
      _Pragma("GCC diagnostic pop") __VA_ARGS__;                                                 \
    }                                                                                            \
  } while (0)

#endif
