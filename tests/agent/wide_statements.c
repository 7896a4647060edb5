/* Statements of C with many fields. */
#include "tests/agent/wide_statements.h"

#include "libagent/include/ringside/event.h"
#include "libagent/include/ringside/ringside.h"
#include "tests/agent/repeated.h"

void c_event_of_64(int n) {
  RS_EVENT(INFO, "c.64", TIMES_63(n), n + 1);
}

void c_event_of_65(int n) {
  RS_EVENT(INFO, "c.65", TIMES_64(n), n + 1);
}

void c_event_of_254(int n) {
  RS_EVENT(INFO, "c.254", TIMES_253(n), n + 1);
}

void c_event_of_255(int n) {
  RS_EVENT(INFO, "c.255", TIMES_254(n), n + 1);
}

void c_message_of_255(int n, const char* text) {
  RS_INFO(TEXT_127("%d %s ") "%.3s", TIMES_127(n, text), text);
}
