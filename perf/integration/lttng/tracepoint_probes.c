// The only definition of kvd's tracepoints and their probes.
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include <kvd_tracepoints.h>
