// The calling thread's state before it has a ring, as log calls find it; and its activity.
#include "libagent/include/ringside/abi.h"
#include "libagent/include/ringside/span_abi.h"

RS_THREAD_LOCAL rs_thread rs_thread_state
    __attribute__((tls_model("initial-exec"))) = {.pos = RS_NO_RING,
                                                  .limit = 0,
                                                  .published = UINT64_MAX,
                                                  .clock_due = 0,
                                                  .place = 0,
                                                  .producer_pos = nullptr,
                                                  .slow_tsc = 0,
                                                  // A thread without a ring takes the path that
                                                  // attaches first and then detects records that
                                                  // are too large.
                                                  .max_record_bytes = 0,
                                                  .times = {}};

RS_THREAD_LOCAL rs_activity rs_thread_activity
    __attribute__((tls_model("initial-exec"))) = {.flags = 0, .id = {}, .related = {}};
