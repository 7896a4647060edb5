/* Statements of C, compiled as probes: see probed_statements.cpp. */
#include "probed_statements.h"

#include <stdint.h>

#include <ringside/event.h>
#include <ringside/ringside.h>

#define THIRTEEN_NUMBERS "%d %d %d %d %d %d %d %d %d %d %d %d %d"

static int opaque(int value) {
  __asm__ volatile("" : "+r"(value));
  return value;
}

void log_in_c(void) {
  const char* const host = "beta";
  const uint64_t large = UINT64_C(1) << 63;
  /* probe */
  RS_INFO("without arguments");
  /* probe -21 "beta" 22 */
  RS_INFO("%d %s %u", opaque(-21), host, (unsigned)opaque(22));
  /* probe 9223372036854775808 0 23 */
  RS_INFO("%lu %.1f %d", large, 1.5, opaque(23));
  /* probe -2 "beta" */
  RS_INFO("%hd %p", (short)opaque(-2), (const void*)host);
  /* probe 24 0 */
  RS_EVENT(INFO, "in.c", opaque(24), RS_BYTES(host, 4));
  /* probe 1 2 3 4 5 6 7 8 9 10 11 12 */
  RS_INFO(THIRTEEN_NUMBERS, opaque(1), 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
}
