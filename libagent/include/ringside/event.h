/** @file
 * Structured events: a name and fields instead of a message. C11; a C++ file gets event.hpp.
 *
 *     RS_EVENT(INFO, "order.fill", RS_ARG(px), RS_NAMED("qty", o->qty), RS_NAMED("venue", "XETR"));
 */
#ifndef RINGSIDE_EVENT_H
#define RINGSIDE_EVENT_H

#ifdef __cplusplus
#include "event.hpp"
#else
#include "ringside.h"

/** Names an argument of RS_EVENT. Its field has this name in traces.
 *
 * @param name_  a string literal
 * @param ...  the value, an expression
 */
#define RS_NAMED(name_, ...) (__VA_ARGS__)

/** An argument of RS_EVENT that is named by its own text: the same as the argument alone.
 *
 * @param ...  the value, an expression
 */
#define RS_ARG(...) (__VA_ARGS__)

/** Bytes, as an argument of RS_EVENT: `RS_NAMED("frame", RS_BYTES(frame, size))`.
 *
 * They are copied during the call.
 *
 * @param data_  address of the first byte; null: no bytes
 * @param count_  their number
 */
#define RS_BYTES(data_, count_) rs_bytes_at_(data_, count_)
static inline struct rs_bytes rs_bytes_at_(const void* data, size_t count) {
  const struct rs_bytes bytes = {data, count};
  return bytes;
}

/** Records an event: its name, and the arguments as fields.
 *
 * A field has the name that RS_NAMED gives, or that of its argument. Each value is recorded in its
 * own type: integers of any width, bit-fields and enumerations (as integers), bool, floating-point
 * numbers, pointers to void, strings, `const wchar_t*` and RS_BYTES. A string literal is a constant
 * field: the dictionary has its value once, and records do not. Everything else is as with RS_LOG.
 *
 * @param level_  TRACE, DEBUG, INFO, NOTICE, WARNING, ERROR or CRITICAL
 * @param ...  name, a string literal that is not empty; then up to 255 arguments
 * @par Return value
 * None. A record that cannot be written is counted as lost: see rs_losses().
 * @par Thread safety
 * As RS_LOG.
 */
#define RS_EVENT(level_, ...) RS_EVENT_OF_(RS_LEVEL_##level_, 0, #__VA_ARGS__, __VA_ARGS__)

/* `flags_`: 0, RS_SITE_COUNTER or RS_SITE_HISTOGRAM. */
#define RS_EVENT_OF_(level_, flags_, arguments_, ...) \
  RS_COUNTED_EVENT_(RS_ARGUMENT_COUNT_(__VA_ARGS__), level_, flags_, arguments_, __VA_ARGS__)
#define RS_COUNTED_EVENT_(count_, level_, flags_, arguments_, ...)                                 \
  do {                                                                                             \
    _Static_assert(sizeof("" RS_FIRST_(__VA_ARGS__, 0)) > 1, "an event requires a name");          \
    RS_EACH_OF_(RS_GIVE_TO_EVENT_, count_, __VA_ARGS__)                                            \
    static const char* const rs_constants_[] = {RS_EACH_OF_(RS_CONSTANT_, count_, __VA_ARGS__) 0}; \
    RS_DECLARE_DETAIL_WITH_(rs_constants_);                                                        \
    RS_SITE_OF_(RS_STYLE_NONE, "" RS_FIRST_(__VA_ARGS__, 0), &rs_detail_, level_, flags_,          \
                arguments_, count_)                                                                \
    if (RS_IS_COMPILED_(level_)) {                                                                 \
      RS_LIST_SITE_(rs_site_);                                                                     \
      RS_RECORD_(RS_EVENT_VALUE_, count_, __VA_ARGS__)                                             \
    }                                                                                              \
  } while (0)

/* Of all values of type char*, only string literals (and null) are constant for compilers. */
#define RS_GIVE_TO_EVENT_(n, x) \
  enum {                                                                            \
    rs_given_##n##_ = _Generic((x), char*                                           \
                               : __builtin_constant_p(x) ? RS_GIVEN_CONSTANT        \
                                                         : RS_GIVEN_STRING, default \
                               : RS_GIVEN_(x))                                      \
  };
/* As RS_VALUE_, which does not take the struct of RS_BYTES. */
#define RS_EVENT_VALUE_(n, x)    \
  uint32_t rs_length_##n##_ = 0; \
  __extension__ const __typeof__(RS_PROMOTED_TYPE_(x)) rs_value_##n##_ = (x);
#define RS_CONSTANT_(n, x) __builtin_choose_expr(rs_given_##n##_ == RS_GIVEN_CONSTANT, x, 0),

#endif /* !__cplusplus */

#endif
