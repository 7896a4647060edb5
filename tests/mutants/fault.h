// Included at the head of each source that has faults (faulty_tree.py): selects the fault that is
// active.
#ifndef RINGSIDE_TESTS_MUTANTS_FAULT_H
#define RINGSIDE_TESTS_MUTANTS_FAULT_H

#include <stdlib.h>

// Faults leave parameters unused and compare in odd ways. Options of the compiler that allow that
// would keep a compiler cache from giving the objects of sources without a fault.
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wunused-value"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wempty-body"
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"

// Whether the environment selects fault `number`, the only one of a process. Read once per source
// file: races store the same value.
static inline __attribute__((unused)) int ringside_fault_is(int number) {
  static int selected = -1;
  if (selected < 0) {
    const char* const text = getenv("RINGSIDE_FAULT");
    selected = text == NULL ? 0 : atoi(text);
  }
  return selected == number;
}

#ifdef __cplusplus
// Code that the compiler evaluates has no fault.
#define RINGSIDE_FAULT(number) \
  (!__builtin_is_constant_evaluated() && ringside_fault_is(number) != 0)
#else
#define RINGSIDE_FAULT(number) (ringside_fault_is(number) != 0)
#endif

#endif
