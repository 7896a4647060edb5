#pragma once
/// @file
/// Sources written for quill, recorded by Ringside.
///
/// Replace quill's headers by this one. The LOG_, LOGV_ and LOGJ_ macros are statements of Ringside
/// in the style of std::format: checked at compile time, formatted by the tools. Loggers, sinks,
/// the front end and the back end exist; the name of a logger is the field `logger` of its records.
/// What Ringside cannot do is reported on standard error, once. docs/migration/quill.md lists the
/// differences.

#ifdef QUILL_VERSION
#error "include either quill's headers or <ringside/compat/quill.hpp>, not both"
#endif

#include "quill/statement.hpp"
#include "quill/variables.hpp"

#define QUILL_COMPILE_ACTIVE_LOG_LEVEL_TRACE_L3 0
#define QUILL_COMPILE_ACTIVE_LOG_LEVEL_TRACE_L2 1
#define QUILL_COMPILE_ACTIVE_LOG_LEVEL_TRACE_L1 2
#define QUILL_COMPILE_ACTIVE_LOG_LEVEL_DEBUG 3
#define QUILL_COMPILE_ACTIVE_LOG_LEVEL_INFO 4
#define QUILL_COMPILE_ACTIVE_LOG_LEVEL_NOTICE 5
#define QUILL_COMPILE_ACTIVE_LOG_LEVEL_WARNING 6
#define QUILL_COMPILE_ACTIVE_LOG_LEVEL_ERROR 7
#define QUILL_COMPILE_ACTIVE_LOG_LEVEL_CRITICAL 8
#ifndef QUILL_COMPILE_ACTIVE_LOG_LEVEL
#define QUILL_COMPILE_ACTIVE_LOG_LEVEL (-1)
#endif

// The text, and each variable with its name: "text [a: 1, b: 2]" and "text 1, 2".
#define RS_QUILL_LOG_(level_, logger_, arguments_, ...) \
  RS_QUILL_STATEMENT_(level_, logger_, RS_FIRST_(__VA_ARGS__, ), arguments_, __VA_ARGS__)
#define RS_QUILL_LOGV_(level_, logger_, arguments_, ...)                                   \
  RS_QUILL_STATEMENT_(level_, logger_, RS_QUILL_NAMED_VARIABLES_(__VA_ARGS__), arguments_, \
                      __VA_ARGS__)
#define RS_QUILL_LOGJ_(level_, logger_, arguments_, ...) \
  RS_QUILL_STATEMENT_(level_, logger_, RS_QUILL_VARIABLES_(__VA_ARGS__), arguments_, __VA_ARGS__)
#define RS_QUILL_MS_(interval_) \
  std::chrono::duration_cast<std::chrono::milliseconds>(interval_).count()

#include "quill/dynamic_macros.hpp"
#include "quill/prefixed_macros.hpp"
#include "quill/tagged_macros.hpp"

#if !defined(QUILL_DISABLE_NON_PREFIXED_MACROS)
#define LOG_TRACE_L3(logger, ...) RS_QUILL_LOG_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOG_TRACE_L3_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOG_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOG_TRACE_L3_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOG_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_TRACE_L3(logger, ...) RS_QUILL_LOGV_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOGV_TRACE_L3_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGV_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_TRACE_L3_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGV_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_TRACE_L3(logger, ...) RS_QUILL_LOGJ_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOGJ_TRACE_L3_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGJ_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_TRACE_L3_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGJ_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__))

#define LOG_TRACE_L2(logger, ...) RS_QUILL_LOG_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOG_TRACE_L2_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOG_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOG_TRACE_L2_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOG_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_TRACE_L2(logger, ...) RS_QUILL_LOGV_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOGV_TRACE_L2_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGV_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_TRACE_L2_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGV_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_TRACE_L2(logger, ...) RS_QUILL_LOGJ_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOGJ_TRACE_L2_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGJ_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_TRACE_L2_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGJ_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__))

#define LOG_TRACE_L1(logger, ...) RS_QUILL_LOG_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOG_TRACE_L1_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOG_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOG_TRACE_L1_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOG_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_TRACE_L1(logger, ...) RS_QUILL_LOGV_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOGV_TRACE_L1_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGV_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_TRACE_L1_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGV_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_TRACE_L1(logger, ...) RS_QUILL_LOGJ_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOGJ_TRACE_L1_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGJ_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_TRACE_L1_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGJ_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__))

#define LOG_DEBUG(logger, ...) RS_QUILL_LOG_(Debug, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOG_DEBUG_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOG_(Debug, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOG_DEBUG_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOG_(Debug, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_DEBUG(logger, ...) RS_QUILL_LOGV_(Debug, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOGV_DEBUG_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGV_(Debug, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_DEBUG_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGV_(Debug, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_DEBUG(logger, ...) RS_QUILL_LOGJ_(Debug, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOGJ_DEBUG_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGJ_(Debug, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_DEBUG_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGJ_(Debug, logger, #__VA_ARGS__, __VA_ARGS__))

#define LOG_INFO(logger, ...) RS_QUILL_LOG_(Info, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOG_INFO_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOG_(Info, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOG_INFO_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOG_(Info, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_INFO(logger, ...) RS_QUILL_LOGV_(Info, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOGV_INFO_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGV_(Info, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_INFO_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGV_(Info, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_INFO(logger, ...) RS_QUILL_LOGJ_(Info, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOGJ_INFO_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGJ_(Info, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_INFO_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGJ_(Info, logger, #__VA_ARGS__, __VA_ARGS__))

#define LOG_NOTICE(logger, ...) RS_QUILL_LOG_(Notice, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOG_NOTICE_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOG_(Notice, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOG_NOTICE_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOG_(Notice, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_NOTICE(logger, ...) RS_QUILL_LOGV_(Notice, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOGV_NOTICE_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGV_(Notice, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_NOTICE_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGV_(Notice, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_NOTICE(logger, ...) RS_QUILL_LOGJ_(Notice, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOGJ_NOTICE_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGJ_(Notice, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_NOTICE_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGJ_(Notice, logger, #__VA_ARGS__, __VA_ARGS__))

#define LOG_WARNING(logger, ...) RS_QUILL_LOG_(Warning, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOG_WARNING_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOG_(Warning, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOG_WARNING_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOG_(Warning, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_WARNING(logger, ...) RS_QUILL_LOGV_(Warning, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOGV_WARNING_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGV_(Warning, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_WARNING_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGV_(Warning, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_WARNING(logger, ...) RS_QUILL_LOGJ_(Warning, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOGJ_WARNING_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGJ_(Warning, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_WARNING_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGJ_(Warning, logger, #__VA_ARGS__, __VA_ARGS__))

#define LOG_ERROR(logger, ...) RS_QUILL_LOG_(Error, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOG_ERROR_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOG_(Error, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOG_ERROR_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOG_(Error, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_ERROR(logger, ...) RS_QUILL_LOGV_(Error, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOGV_ERROR_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGV_(Error, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_ERROR_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGV_(Error, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_ERROR(logger, ...) RS_QUILL_LOGJ_(Error, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOGJ_ERROR_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGJ_(Error, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_ERROR_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGJ_(Error, logger, #__VA_ARGS__, __VA_ARGS__))

#define LOG_CRITICAL(logger, ...) RS_QUILL_LOG_(Critical, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOG_CRITICAL_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOG_(Critical, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOG_CRITICAL_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOG_(Critical, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_CRITICAL(logger, ...) RS_QUILL_LOGV_(Critical, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOGV_CRITICAL_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGV_(Critical, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_CRITICAL_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGV_(Critical, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_CRITICAL(logger, ...) RS_QUILL_LOGJ_(Critical, logger, #__VA_ARGS__, __VA_ARGS__)
#define LOGJ_CRITICAL_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGJ_(Critical, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_CRITICAL_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGJ_(Critical, logger, #__VA_ARGS__, __VA_ARGS__))

#define LOG_BACKTRACE(logger, ...) RS_QUILL_LOG_(Backtrace, logger, #__VA_ARGS__, __VA_ARGS__)
#endif
