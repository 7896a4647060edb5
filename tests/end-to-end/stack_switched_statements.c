#include "stack_switched_statements.h"

#include <ringside/event.h>
#include <ringside/ringside.h>

static volatile int last = 0;

__attribute__((noinline)) void log_in_c(int number) {
  RS_INFO("c %d of %s", number, "two");
  last = number;
}

__attribute__((noinline)) void log_c_event(int number) {
  RS_EVENT(INFO, "c_event", RS_NAMED("number", number));
  last = number;
}
