/* Events of the C front end. */
#include "tests/agent/c_events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "libagent/include/ringside/event.h"
#include "libagent/include/ringside/gate.h"

#define VENUE "XETR"

void c_record_fill(double px, const struct c_order* order) {
  RS_EVENT(WARNING, "c.fill", RS_ARG(px), order->qty, RS_NAMED("side", order->side),
           RS_NAMED("venue", "XE\tTR"), "text", (int)px);
}

void c_record_types(const char* text, const unsigned char* octets, size_t size) {
  const struct {
    unsigned type : 3;
    int offset : 5;
    bool is_set : 1;
  } bits = {5, -3, true};
  const enum __attribute__((packed)) { kNone, kTwo = 2 } small = kTwo;
  const bool flag = true;
  const char letter = 'c';
  const signed char tiny = -1;
  const unsigned char octet = 200;
  const short narrow = -300;
  const unsigned short port = 60000;
  const float half = 0.5F;
  char buffer[] = "buffer";
  RS_EVENT(INFO, "c.integers", bits.type, bits.offset, bits.is_set, small, flag, letter, tiny,
           octet, narrow, port, -1, 2U, -3L, 4ULL);
  RS_EVENT(INFO, "c.others", half, 0.25, 2.5L, text, buffer, (const char*)octets,
           (const wchar_t*)L"w\u00e4", (void*)0x10, RS_BYTES(octets, size),
           RS_NAMED("none", RS_BYTES(NULL, 3)), text[0] == 't' ? "yes" : "no");
}

void c_record_constants(void) {
  RS_EVENT(INFO, "c.constants", VENUE, ("in parentheses"),
           "one "
           "text",
           RS_NAMED("empty", ""), RS_NAMED("null", (char*)0), 7, 'c', true, 1.5);
}

void c_record_bare(void) {
  RS_EVENT(CRITICAL, "c.bare");
  RS_EVENT(INFO, "c.constant only", RS_NAMED("unit", "ms"));
}

void c_record_large(const char* text, size_t size) {
  RS_EVENT(INFO, "c.large", "constant", text, RS_BYTES(text, size), 7, RS_BYTES(text, 2));
}

void c_record_many(void) {
  RS_EVENT(INFO, "c.many", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
           21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, "32");
}

int c_record_counted(int* count) {
  RS_ONCE(RS_WITH_CATEGORY("orders", RS_EVENT(INFO, "c.counted", RS_NAMED("count", ++*count))));
  return *count;
}
