#pragma once
/// @file
/// Structured events, for C++17 and later: a name and fields instead of a message.

#include "format.hpp"

/// Records an event: its name, and the arguments as fields.
///
///     RS_EVENT(INFO, "order.fill", RS_ARG(px), RS_NAMED("qty", o.qty()), RS_NAMED("venue",
///     "XETR"));
///
/// A field has the name that RS_NAMED gives, or that of its argument. Values are those of RS_FMT. A
/// value with parts is recorded as a field for each part: `order.px`. A literal is a constant
/// field: the dictionary has its value once, and records do not. Everything else is as with RS_LOG.
/// C has the same macro in <ringside/event.h>.
///
/// @param level_  TRACE, DEBUG, INFO, NOTICE, WARNING, ERROR or CRITICAL
/// @param ...  name, a string literal that is not empty; then arguments with up to 255 fields
/// @par Return value
/// None. A record that cannot be written is counted as lost: see ringside::losses().
/// @par Thread safety
/// As RS_LOG.
#define RS_EVENT(level_, ...) RS_EVENT_STATEMENT_(RS_LEVEL_##level_, #__VA_ARGS__, __VA_ARGS__)
#define RS_EVENT_STATEMENT_(level_, arguments_, ...)                                               \
  RS_STYLED_STATEMENT_(RS_STYLE_NONE, RsArguments::event("" RS_FIRST_(__VA_ARGS__, ), arguments_), \
                       level_, 0, arguments_, __VA_ARGS__)
