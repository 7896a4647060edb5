/* Spans, counters and histograms of the C front end. */
#include "tests/agent/c_spans.h"

#include <stdbool.h>

#include "libagent/include/ringside/gate.h"
#include "libagent/include/ringside/span.h"

void c_span_of_get(unsigned key, const char* who) {
  RS_BEGIN_SPAN(WARNING, request, "c.get", RS_ARG(key), RS_NAMED("who", who),
                RS_NAMED("venue", "XETR"));
  key = 0;
  RS_INFO("c within %u", key);
  RS_END_SPAN(request);
}

void c_span_of_types(const char* text) {
  const struct {
    unsigned type : 3;
    bool is_set : 1;
  } bits = {5, true};
  const short narrow = -300;
  const unsigned char octet = 200;
  const float half = 0.5F;
  RS_BEGIN_SPAN(INFO, span, "c.types", bits.type, bits.is_set, 'c', narrow, octet, half, 0.25, 2.5L,
                -3L, 4ULL, (void*)0x10, text, (rs_int128_)7);
  RS_END_SPAN(span);
}

void c_spans_that_overlap(void) {
  RS_BEGIN_SPAN(INFO, first, "c.first");
  RS_BEGIN_SPAN(INFO, second, "c.second");
  RS_END_SPAN(first);
  RS_END_SPAN(second);
}

void c_span_that_ends_twice(void) {
  RS_BEGIN_SPAN(INFO, span, "c.twice");
  RS_END_SPAN(span);
  RS_END_SPAN(span);
}

void c_span_that_is_cancelled(void) {
  RS_INFO("c creates the segment");
  RS_BEGIN_SPAN(INFO, span, "c.cancelled");
  RS_CANCEL_SPAN(span);
  RS_END_SPAN(span);
}

void c_open_span(unsigned key, const char* who) {
  RS_BEGIN_OPEN_SPAN(WARNING, request, "c.open", RS_NAMED("key", key++), RS_NAMED("who", who));
  RS_INFO("c inside %u", key);
  RS_END_OPEN_SPAN(request);
  RS_END_OPEN_SPAN(request);
}

void c_open_span_without_end(void) {
  RS_BEGIN_OPEN_SPAN(INFO, span, "c.unended");
  (void)span;
}

int c_span_of_counted(int* count) {
  RS_BEGIN_SPAN(INFO, span, "c.evaluated", RS_NAMED("count", ++*count));
  RS_END_SPAN(span);
  return *count;
}

void c_record_numbers(unsigned depth, double us) {
  RS_COUNTER("c.queue", RS_ARG(depth));
  RS_HISTOGRAM("c.latency_us", RS_ARG(us), RS_NAMED("shard", depth));
  RS_EVERY_N(2, RS_HISTOGRAM("c.gated", depth));
  RS_MARK("c.elected", RS_ARG(depth));
}
