#pragma once
/// @file
/// The log macros of Ringside in the style of std::format, for C++17 and later.

#include "log.hpp"

/// Names an argument of RS_FMT.
///
/// Its field has this name in traces, and placeholders refer to it: `{user}`. A named argument
/// needs no placeholder.
///
/// @param name_  a string literal
/// @param ...  the value, an expression
/// @par Return value
/// The value.
/// @par Thread safety
/// As RS_FMT.
#define RS_NAMED(name_, ...) (__VA_ARGS__)

/// An argument of RS_EVENT or RS_FMT that is named by its own text: `RS_ARG(px)` has the name `px`.
///
/// The same as the argument alone.
///
/// @param ...  the value, an expression
/// @par Return value
/// The value.
/// @par Thread safety
/// As RS_FMT.
#define RS_ARG(...) (__VA_ARGS__)

/// Records a message whose format has placeholders in braces.
///
///     RS_FMT(INFO, "{user} paid {amount:.2f}", RS_NAMED("user", u), RS_NAMED("amount", a));
///     RS_FMT(INFO, "table {} has id {:>8x}", name, id);
///
/// A placeholder without name and position takes the next argument, counted from the first; named
/// arguments count too, as with {fmt}. The text is that of std::format; the tools write it, the
/// service only copies the values. The format is a string literal. It is checked against the
/// arguments at compile time; a mismatch is an error. Values: bool, characters, integers of any
/// width, floating-point numbers, pointers, C strings, std::string, std::string_view,
/// std::filesystem::path; enumerations by name; arrays of these; and types with parts, such as
/// std::pair and those of RS_ADAPT, whose placeholders have no specification. A null string is
/// recorded as "(null)". Everything else is as with RS_LOG.
///
/// @param level_  TRACE, DEBUG, INFO, NOTICE, WARNING, ERROR or CRITICAL
/// @param ...  format, then up to 255 arguments
/// @par Return value
/// None. A record that cannot be written is counted as lost: see ringside::losses().
/// @par Thread safety
/// As RS_LOG.
#define RS_FMT(level_, ...) RS_FMT_STATEMENT_(RS_LEVEL_##level_, #__VA_ARGS__, __VA_ARGS__)
#define RS_FMT_STATEMENT_(level_, arguments_, ...)                                             \
  RS_STYLED_STATEMENT_(RS_STYLE_BRACE,                                                         \
                       RsArguments::brace("" RS_FIRST_(__VA_ARGS__, ), arguments_), level_, 0, \
                       arguments_, __VA_ARGS__)

/// RS_FMT at level trace.
#define RS_FMT_TRACE(...) RS_FMT_STATEMENT_(RS_LEVEL_TRACE, #__VA_ARGS__, __VA_ARGS__)
/// RS_FMT at level debug.
#define RS_FMT_DEBUG(...) RS_FMT_STATEMENT_(RS_LEVEL_DEBUG, #__VA_ARGS__, __VA_ARGS__)
/// RS_FMT at level info.
#define RS_FMT_INFO(...) RS_FMT_STATEMENT_(RS_LEVEL_INFO, #__VA_ARGS__, __VA_ARGS__)
/// RS_FMT at level notice.
#define RS_FMT_NOTICE(...) RS_FMT_STATEMENT_(RS_LEVEL_NOTICE, #__VA_ARGS__, __VA_ARGS__)
/// RS_FMT at level warning.
#define RS_FMT_WARNING(...) RS_FMT_STATEMENT_(RS_LEVEL_WARNING, #__VA_ARGS__, __VA_ARGS__)
/// RS_FMT at level error.
#define RS_FMT_ERROR(...) RS_FMT_STATEMENT_(RS_LEVEL_ERROR, #__VA_ARGS__, __VA_ARGS__)
/// RS_FMT at level critical.
#define RS_FMT_CRITICAL(...) RS_FMT_STATEMENT_(RS_LEVEL_CRITICAL, #__VA_ARGS__, __VA_ARGS__)
