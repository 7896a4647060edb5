/** @file
 * Gates of statements, for C and C++: they record some executions only, and count the others.
 *
 *     RS_EVERY_N(100, RS_INFO("order %u filled", id));
 *
 * Each macro takes one statement, of any style, or another gate with one. A function that records
 * is not a statement: the gate does not hold for it. Whether an execution passes is decided while
 * the statement is enabled; only then are its arguments evaluated. What is suppressed is counted
 * for the statement: `ringctl list`, ringstat and the metrics show it. An execution that a gate
 * suppresses costs less than one that is recorded (perf/README.md, row `gates`). Included by
 * <ringside/ringside.h>, <ringside/ringside.hpp> and <ringside/log.hpp>.
 */
#ifndef RINGSIDE_GATE_H
#define RINGSIDE_GATE_H

#include "gate_decision.h"

/** Records the first of every n executions of a statement: number 1, n + 1, 2 n + 1 and so on.
 *
 * Counts the executions of all threads together. Suppressed ones are counted in batches: the count
 * can be up to 63 too small. Threads that execute the gate at the same time slow each other down.
 *
 * @param n_  a constant above 0
 * @param ...  one statement, or a gate
 * @par Return value
 * None.
 * @par Thread safety
 * As the statement: any thread, and signal handlers.
 */
#define RS_EVERY_N(n_, ...)                                                \
  do {                                                                     \
    RS_STATIC_ASSERT_((n_) > 0, "RS_EVERY_N requires a constant above 0"); \
    RS_GATE_(RS_GATE_EVERY_N, n_, __VA_ARGS__);                            \
  } while (0)

/** Records the first n executions of a statement, and none after them.
 *
 * Counts the executions of all threads together.
 *
 * @param n_  an integer, evaluated at each execution; 0 or less: none
 * @param ...  one statement, or a gate
 * @par Return value
 * None.
 * @par Thread safety
 * As the statement: any thread, and signal handlers.
 */
#define RS_FIRST_N(n_, ...) RS_GATE_(RS_GATE_FIRST_N, n_, __VA_ARGS__)

/** Records the first execution of a statement in this process, and none after it.
 *
 * An execution while the statement is disabled does not count.
 *
 * @param ...  one statement, or a gate
 * @par Return value
 * None.
 * @par Thread safety
 * As the statement: any thread, and signal handlers.
 */
#define RS_ONCE(...) RS_GATE_(RS_GATE_FIRST_N, 1, __VA_ARGS__)

/** Records at most one execution of a statement within a period, in all threads together.
 *
 * The first execution passes, then the first one that comes when the period has passed since the
 * last record. The gate reads the coarse clock of the system, which costs half of the exact one: a
 * period can be longer by a tick of the kernel, 1 to 10 ms. Suppressed executions of one thread are
 * counted in batches: the count can be up to 63 too small.
 *
 * @param period_ms_  milliseconds, evaluated at each execution; 0 or less: every execution
 * @param ...  one statement, or a gate
 * @par Return value
 * None.
 * @par Thread safety
 * As the statement: any thread, and signal handlers.
 */
#define RS_EVERY_MS(period_ms_, ...) RS_GATE_(RS_GATE_EVERY_MS, period_ms_, __VA_ARGS__)

/** Records an execution of a statement if a condition is true, and counts it otherwise.
 *
 * @param condition_  evaluated at each execution, even while the statement is disabled
 * @param ...  one statement, or a gate
 * @par Return value
 * None.
 * @par Thread safety
 * As the statement: any thread, and signal handlers.
 */
#define RS_IF(condition_, ...) RS_GATE_(RS_GATE_IF, (condition_) ? 1 : 0, __VA_ARGS__)

#endif
