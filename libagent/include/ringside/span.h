/** @file
 * Spans, counters, histograms and marks, for C11. A C++ file gets span.hpp.
 *
 *     RS_BEGIN_SPAN(INFO, request, "handle_get", RS_ARG(key), RS_NAMED("shard", shard));
 *     ...
 *     RS_END_SPAN(request);
 */
#ifndef RINGSIDE_SPAN_H
#define RINGSIDE_SPAN_H

#ifdef __cplusplus
#include "span.hpp"
#else
#include "c_span.h"
#include "event.h"

/** Begins a span: the time from here to RS_END_SPAN.
 *
 * There is one record, written at the end. Its time is that of the beginning, and it has a
 * duration. The arguments are evaluated and copied here, and only while the statement is enabled;
 * texts are cut after 64 bytes. Values are those of RS_EVENT, without RS_BYTES and wide texts. A
 * span without RS_END_SPAN has no record; after a return between the two, there is none.
 * RS_BEGIN_OPEN_SPAN has a record of the beginning, too.
 *
 * @param level_  TRACE, DEBUG, INFO, NOTICE, WARNING, ERROR or CRITICAL
 * @param variable_  name of a new variable of the enclosing block
 * @param ...  name, a string literal that is not empty; then up to 255 arguments, which take at
 * most 960 bytes together
 * @par Return value
 * None.
 * @par Thread safety
 * As RS_LOG. A span begins and ends on the same thread.
 */
#define RS_BEGIN_SPAN(level_, variable_, ...)                                             \
  RS_COUNTED_SPAN_(RS_ARGUMENT_COUNT_(__VA_ARGS__), rs_open_span_, open, RS_BEGINS_SPAN_, \
                   RS_NOTHING_, RS_LEVEL_##level_, variable_, #__VA_ARGS__, __VA_ARGS__)

/** Ends a span here, and records it. If it has ended before, this does nothing.
 *
 * @param variable_  that of RS_BEGIN_SPAN
 * @par Return value
 * None. A record that cannot be written is counted as lost: see rs_losses().
 * @par Thread safety
 * As RS_BEGIN_SPAN.
 */
#define RS_END_SPAN(variable_) rs_end_span_(&(variable_).open, (variable_).values)

/** A span that is not recorded after all. RS_END_SPAN then does nothing.
 *
 * @param variable_  that of RS_BEGIN_SPAN
 * @par Return value
 * None.
 * @par Thread safety
 * As RS_BEGIN_SPAN.
 */
#define RS_CANCEL_SPAN(variable_) ((void)((variable_).open.state = 0))

/** Begins a span with two records: one here, and one at RS_END_OPEN_SPAN.
 *
 * If the service dies in between, `ringcat spans --open` and `ringcat crash` show the span, and
 * viewers draw it as unfinished; also after a return without RS_END_OPEN_SPAN. The record of the
 * end is that of RS_BEGIN_SPAN, with all values. Both have the field `ringside.span`, an id by
 * which tools find them to belong together, and the activity of the beginning.
 *
 * @param level_  TRACE, DEBUG, INFO, NOTICE, WARNING, ERROR or CRITICAL
 * @param variable_  name of a new variable of the enclosing block
 * @param ...  as RS_BEGIN_SPAN
 * @par Return value
 * None. A record that cannot be written is counted as lost: see rs_losses().
 * @par Thread safety
 * As RS_LOG. Another thread can end the span, by a pointer to the variable while its block lasts.
 */
#define RS_BEGIN_OPEN_SPAN(level_, variable_, ...)                                                \
  RS_OPEN_SPAN_WITH_ID_(RS_LEVEL_##level_, variable_, #__VA_ARGS__ RS_SPAN_ID_TEXT_, __VA_ARGS__, \
                        RS_NAMED(RS_SPAN_ID_FIELD, rs_new_span_id()))
#define RS_OPEN_SPAN_WITH_ID_(level_, variable_, arguments_, ...)                                  \
  RS_COUNTED_SPAN_(RS_ARGUMENT_COUNT_(__VA_ARGS__), rs_two_record_span_, two_records, RS_NOTHING_, \
                   RS_BEGINS_OPEN_SPAN_, level_, variable_, arguments_, __VA_ARGS__)

/** Ends such a span here, and records it. If it has ended before, this does nothing.
 *
 * @param variable_  that of RS_BEGIN_OPEN_SPAN
 * @par Return value
 * None. A record that cannot be written is counted as lost: see rs_losses().
 * @par Thread safety
 * Any thread. One thread at a time uses the variable.
 */
#define RS_END_OPEN_SPAN(variable_) rs_end_open_span_(&(variable_).two_records, (variable_).values)

/** Records the present value of something that rises and falls: viewers draw it as a curve.
 *
 *     RS_COUNTER("queue", RS_NAMED("depth", depth));
 *
 * @param ...  as RS_EVENT; each number is a curve
 * @par Return value
 * None. A record that cannot be written is counted as lost: see rs_losses().
 * @par Thread safety
 * As RS_LOG.
 */
#define RS_COUNTER(...) RS_EVENT_OF_(RS_LEVEL_INFO, RS_SITE_COUNTER, #__VA_ARGS__, __VA_ARGS__)

/** Records one sample of a distribution: `ringcat hist latency_us` shows it.
 *
 *     RS_HISTOGRAM("latency_us", RS_NAMED("us", elapsed_us), RS_ARG(shard));
 *
 * @param ...  as RS_EVENT; the first value is the sample, a number
 * @par Return value
 * None. A record that cannot be written is counted as lost: see rs_losses().
 * @par Thread safety
 * As RS_LOG.
 */
#define RS_HISTOGRAM(...) RS_HISTOGRAM_OF_(#__VA_ARGS__, __VA_ARGS__)
#define RS_HISTOGRAM_OF_(arguments_, ...)                                          \
  do {                                                                             \
    _Static_assert(RS_IS_NUMBER_(RS_GIVEN_(RS_SECOND_(__VA_ARGS__, (void*)0, 0))), \
                   "the first value of a histogram is its sample, a number");      \
    RS_EVENT_OF_(RS_LEVEL_INFO, RS_SITE_HISTOGRAM, arguments_, __VA_ARGS__);       \
  } while (0)
#define RS_SECOND_(first, second, ...) second
#define RS_IS_NUMBER_(given_) ((given_) <= RS_GIVEN_F80 && (given_) != RS_GIVEN_CHARACTER)

/** Records that something has happened: an event at level info.
 *
 *     RS_MARK("leader.elected", RS_ARG(term));
 *
 * @param ...  as RS_EVENT
 * @par Return value
 * None. A record that cannot be written is counted as lost: see rs_losses().
 * @par Thread safety
 * As RS_LOG.
 */
#define RS_MARK(...) RS_EVENT_OF_(RS_LEVEL_INFO, 0, #__VA_ARGS__, __VA_ARGS__)

#endif /* !__cplusplus */

#endif
