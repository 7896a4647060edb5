// The six messages as typed tracepoints. The records do not contain the text: the tracepoint's name
// identifies it.
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER ringside_perf
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_tracepoints.h"

#if !defined(PERF_LTTNG_TRACEPOINTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define PERF_LTTNG_TRACEPOINTS_H

#include <stdint.h>

#include <lttng/tracepoint.h>

// clang-format off
LTTNG_UST_TRACEPOINT_EVENT(ringside_perf, static_text,
  LTTNG_UST_TP_ARGS(void),
  LTTNG_UST_TP_FIELDS())

LTTNG_UST_TRACEPOINT_EVENT(ringside_perf, string39,
  LTTNG_UST_TP_ARGS(const char*, coordinator),
  LTTNG_UST_TP_FIELDS(lttng_ust_field_string(coordinator, coordinator)))

LTTNG_UST_TRACEPOINT_EVENT(ringside_perf, integer,
  LTTNG_UST_TP_ARGS(int32_t, speed),
  LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int32_t, speed, speed)))

LTTNG_UST_TRACEPOINT_EVENT(ringside_perf, two_integers,
  LTTNG_UST_TP_ARGS(uint32_t, consumed, uint32_t, allocation),
  LTTNG_UST_TP_FIELDS(
    lttng_ust_field_integer(uint32_t, consumed, consumed)
    lttng_ust_field_integer(uint32_t, allocation, allocation)))

LTTNG_UST_TRACEPOINT_EVENT(ringside_perf, floating,
  LTTNG_UST_TP_ARGS(double, ratio),
  LTTNG_UST_TP_FIELDS(lttng_ust_field_float(double, ratio, ratio)))

LTTNG_UST_TRACEPOINT_EVENT(ringside_perf, five_arguments,
  LTTNG_UST_TP_ARGS(uint32_t, receive, uint32_t, receive_mb, uint32_t, transmit,
                    uint32_t, transmit_mb, double, took_ms),
  LTTNG_UST_TP_FIELDS(
    lttng_ust_field_integer(uint32_t, receive, receive)
    lttng_ust_field_integer(uint32_t, receive_mb, receive_mb)
    lttng_ust_field_integer(uint32_t, transmit, transmit)
    lttng_ust_field_integer(uint32_t, transmit_mb, transmit_mb)
    lttng_ust_field_float(double, took_ms, took_ms)))
// clang-format on

#endif
#include <lttng/tracepoint-event.h>
