/* Spans, counters and histograms of the C front end. */
#ifndef RINGSIDE_TESTS_C_SPANS_H
#define RINGSIDE_TESTS_C_SPANS_H

#ifdef __cplusplus
extern "C" {
#endif

/* A span "c.get" with two values, around a record "c within". */
void c_span_of_get(unsigned key, const char* who);
void c_span_of_types(const char* text);
/* Two spans that end in the order of their beginnings. */
void c_spans_that_overlap(void);
void c_span_that_ends_twice(void);
void c_span_that_is_cancelled(void);
/* A span with two records, around a record "c inside"; `key` is evaluated once. */
void c_open_span(unsigned key, const char* who);
/* Does not end. */
void c_open_span_without_end(void);
/* Returns how often the value was evaluated. */
int c_span_of_counted(int* count);
void c_record_numbers(unsigned depth, double us);

#ifdef __cplusplus
}
#endif

#endif
