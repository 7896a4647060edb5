#pragma once
/// @file
/// Spans, counters, histograms and marks, for C++17 and later: how long something took, how much of
/// something there is, how its values are distributed, that something has happened.

#include "event.hpp"
#include "open_span.hpp"
#include "span_statement.hpp"

/// Records a span: the time from here to the end of the scope.
///
///     RS_SPAN("handle_get", RS_ARG(key), RS_NAMED("shard", shard_of(key)));
///
/// There is one record, written at the end of the span. Its time is that of the beginning, and it
/// has a duration. Spans of one thread nest as their scopes do. The arguments are evaluated and
/// copied at the beginning, and only while the statement is enabled; texts are cut after 64 bytes.
/// Values are those of RS_EVENT, without arrays, bytes and wide texts. A statement that is enabled
/// or disabled within a span concerns the next one. A span that has not ended when the service dies
/// leaves no record; RS_OPEN_SPAN does.
///
/// A span costs two readings of the clock and one record.
///
/// @param ...  name, a string literal that is not empty; then arguments with up to 255 fields,
/// which take at most 960 bytes together
/// @par Return value
/// None. A record that cannot be written is counted as lost: see ringside::losses().
/// @par Thread safety
/// As RS_LOG. A span begins and ends on the same thread.
#define RS_SPAN(...)                                                 \
  [[maybe_unused]] const auto RS_JOIN_(rs_span_of_line_, __LINE__) = \
      RS_SPAN_OF_(RS_LEVEL_INFO, 0, false, #__VA_ARGS__, __VA_ARGS__)

/// The same at another level, as a variable: to end the span before its scope ends.
///
///     RS_NAMED_SPAN(DEBUG, waiting, "wait_for_lock");
///     mutex.lock();
///     waiting.end();
///
/// @param level_  TRACE, DEBUG, INFO, NOTICE, WARNING, ERROR or CRITICAL
/// @param variable_  name of a variable of type ringside::Span
/// @param ...  as RS_SPAN
/// @par Return value
/// None.
/// @par Thread safety
/// As RS_SPAN.
#define RS_NAMED_SPAN(level_, variable_, ...) \
  auto variable_ = RS_SPAN_OF_(RS_LEVEL_##level_, 256, false, #__VA_ARGS__, __VA_ARGS__)

/// Records a span with two records: one here, and one at the end of the scope.
///
///     RS_OPEN_SPAN("compact", RS_ARG(table));
///
/// If the service dies in the scope, `ringcat spans --open` and `ringcat crash` show the span, and
/// viewers draw it as unfinished. The record of the end is that of RS_SPAN, with all values. Both
/// have the field `ringside.span`, an id by which tools find them to belong together, and the
/// activity of the beginning.
///
/// Costs two records, and otherwise what RS_SPAN costs.
///
/// @param ...  as RS_SPAN
/// @par Return value
/// None. A record that cannot be written is counted as lost: see ringside::losses(). A span whose
/// beginning is lost has its end all the same; one whose end is lost seems to be open.
/// @par Thread safety
/// As RS_LOG.
#define RS_OPEN_SPAN(...)                                                             \
  [[maybe_unused]] const auto RS_JOIN_(rs_span_of_line_, __LINE__) =                  \
      RS_SPAN_OF_(RS_LEVEL_INFO, 0, true, #__VA_ARGS__ RS_SPAN_ID_TEXT_, __VA_ARGS__, \
                  RS_NAMED(RS_SPAN_ID_FIELD, rs_new_span_id()))

/// The same at another level, as a variable: to add values, to end the span before its scope ends,
/// and to end it on another thread.
///
///     RS_NAMED_OPEN_SPAN(INFO, request, "request", RS_ARG(key));
///     pool.run([request = std::move(request)]() mutable {
///       RS_SPAN_SET(request, RS_NAMED("status", "done"));
///       request.end();
///     });
///
/// The span ends with the variable to which it was moved last. `cancel()` does not exist.
///
/// @param level_  TRACE, DEBUG, INFO, NOTICE, WARNING, ERROR or CRITICAL
/// @param variable_  name of a variable of type ringside::Span
/// @param ...  as RS_SPAN
/// @par Return value
/// None.
/// @par Thread safety
/// The variable can be moved to another thread, and ends there. One thread at a time uses it.
#define RS_NAMED_OPEN_SPAN(level_, variable_, ...)                                          \
  auto variable_ = RS_SPAN_OF_(RS_LEVEL_##level_, 256, true, #__VA_ARGS__ RS_SPAN_ID_TEXT_, \
                               __VA_ARGS__, RS_NAMED(RS_SPAN_ID_FIELD, rs_new_span_id()))

/// Adds values to a span that has not ended.
///
///     RS_NAMED_SPAN(INFO, span, "handle_get", RS_ARG(key));
///     const Reply reply = find(key);
///     RS_SPAN_SET(span, RS_NAMED("bytes", reply.size()), RS_NAMED("status", "found"));
///
/// They follow those of the beginning. If it is executed several times for one span, the values of
/// the last time count. The arguments are evaluated only if the span is recorded.
///
/// @param variable_  that of RS_NAMED_SPAN or RS_NAMED_OPEN_SPAN, or a reference to it
/// @param ...  arguments as those of RS_SPAN, which take at most 256 bytes together
/// @par Return value
/// None.
/// @par Thread safety
/// As RS_SPAN.
#define RS_SPAN_SET(variable_, ...) RS_SPAN_SET_(variable_, #__VA_ARGS__, __VA_ARGS__)

/// Records the present value of something that rises and falls: viewers draw it as a curve.
///
///     RS_COUNTER("queue", RS_NAMED("depth", queue.size()));
///
/// @param ...  as RS_EVENT; each number is a curve
/// @par Return value
/// None. A record that cannot be written is counted as lost: see ringside::losses().
/// @par Thread safety
/// As RS_LOG.
#define RS_COUNTER(...) RS_COUNTER_STATEMENT_(#__VA_ARGS__, __VA_ARGS__)
#define RS_COUNTER_STATEMENT_(arguments_, ...)                                                     \
  RS_STYLED_STATEMENT_(RS_STYLE_NONE, RsArguments::event("" RS_FIRST_(__VA_ARGS__, ), arguments_), \
                       RS_LEVEL_INFO, RS_SITE_COUNTER, arguments_, __VA_ARGS__)

/// Records one sample of a distribution: `ringcat hist latency_us` shows it.
///
///     RS_HISTOGRAM("latency_us", RS_NAMED("us", elapsed_us), RS_ARG(shard));
///
/// @param ...  as RS_EVENT; the first value is the sample, a number
/// @par Return value
/// None. A record that cannot be written is counted as lost: see ringside::losses().
/// @par Thread safety
/// As RS_LOG.
#define RS_HISTOGRAM(...) RS_HISTOGRAM_STATEMENT_(#__VA_ARGS__, __VA_ARGS__)
#define RS_HISTOGRAM_STATEMENT_(arguments_, ...)                                         \
  RS_STYLED_STATEMENT_(RS_STYLE_NONE,                                                    \
                       ::ringside::detail::histogram_signature(                          \
                           RsArguments::event("" RS_FIRST_(__VA_ARGS__, ), arguments_)), \
                       RS_LEVEL_INFO, RS_SITE_HISTOGRAM, arguments_, __VA_ARGS__)

/// Records that something has happened: an event at level info.
///
///     RS_MARK("leader.elected", RS_ARG(term));
///
/// @param ...  as RS_EVENT
/// @par Return value
/// None. A record that cannot be written is counted as lost: see ringside::losses().
/// @par Thread safety
/// As RS_LOG.
#define RS_MARK(...) RS_EVENT_STATEMENT_(RS_LEVEL_INFO, #__VA_ARGS__, __VA_ARGS__)

// An expression, so that the names of the statement's parts are in no scope of the service. The
// span is constructed in place, never moved.
#define RS_SPAN_OF_(level_, later_room_, is_open_, arguments_, ...)                             \
  __extension__({                                                                               \
    RS_DECLARE_STATEMENT_(RS_STYLE_NONE, "" RS_FIRST_(__VA_ARGS__, ),                           \
                          RsArguments::event("" RS_FIRST_(__VA_ARGS__, ), arguments_), level_,  \
                          RS_SITE_SPAN, arguments_, __VA_ARGS__);                               \
    using RsSite = ::ringside::detail::Site<RsText, RsCall>;                                    \
    if constexpr (RS_IS_COMPILED_(level_)) RS_LIST_SITE_(RsSite::site);                         \
    using RsSpan =                                                                              \
        ::ringside::detail::SpanStatement<RsText, RsCall, RsArguments, RS_IS_COMPILED_(level_), \
                                          later_room_, is_open_>;                               \
    const std::uint8_t rs_state_ = RsSpan::state(&RsSite::site);                                \
    rs_state_ != 0 ? RsSpan::open(&RsSite::site, rs_state_, __VA_ARGS__) : RsSpan::none();      \
  })
#define RS_SPAN_SET_(variable_, arguments_, ...)                                                \
  do {                                                                                          \
    using RsSpan = typename std::remove_reference_t<decltype(variable_)>::SpanStatement;        \
    using RsAdded = decltype(::ringside::detail::arguments_of<RS_STYLE_NONE>("", __VA_ARGS__)); \
    struct RsAddedText {                                                                        \
      static constexpr const char* text() { return arguments_; }                                \
    };                                                                                          \
    using RsSetting = ::ringside::detail::SpanSetting<RsSpan, RsAdded, RsAddedText>;            \
    if constexpr (RsSpan::kIsRecorded) {                                                        \
      RS_LIST_SITE_(RsSetting::Sites::site);                                                    \
      if ((variable_).is_recorded()) RsSetting::set(variable_, __VA_ARGS__);                    \
    }                                                                                           \
  } while (0)
#define RS_JOIN_(a, b) RS_JOIN_NOW_(a, b)
#define RS_JOIN_NOW_(a, b) a##b
