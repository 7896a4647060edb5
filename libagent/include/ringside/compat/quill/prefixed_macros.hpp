#pragma once
// quill's macros with a prefix. Their texts of arguments are those of the source, so each is
// defined as its counterpart without a prefix is.

#define QUILL_LOG_TRACE_L3(logger, ...) RS_QUILL_LOG_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOG_TRACE_L3_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOG_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOG_TRACE_L3_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOG_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_TRACE_L3(logger, ...) RS_QUILL_LOGV_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOGV_TRACE_L3_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGV_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_TRACE_L3_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGV_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_TRACE_L3(logger, ...) RS_QUILL_LOGJ_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOGJ_TRACE_L3_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGJ_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_TRACE_L3_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGJ_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__))

#define QUILL_LOG_TRACE_L2(logger, ...) RS_QUILL_LOG_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOG_TRACE_L2_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOG_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOG_TRACE_L2_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOG_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_TRACE_L2(logger, ...) RS_QUILL_LOGV_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOGV_TRACE_L2_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGV_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_TRACE_L2_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGV_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_TRACE_L2(logger, ...) RS_QUILL_LOGJ_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOGJ_TRACE_L2_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGJ_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_TRACE_L2_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGJ_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__))

#define QUILL_LOG_TRACE_L1(logger, ...) RS_QUILL_LOG_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOG_TRACE_L1_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOG_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOG_TRACE_L1_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOG_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_TRACE_L1(logger, ...) RS_QUILL_LOGV_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOGV_TRACE_L1_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGV_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_TRACE_L1_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGV_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_TRACE_L1(logger, ...) RS_QUILL_LOGJ_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOGJ_TRACE_L1_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGJ_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_TRACE_L1_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGJ_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__))

#define QUILL_LOG_DEBUG(logger, ...) RS_QUILL_LOG_(Debug, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOG_DEBUG_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOG_(Debug, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOG_DEBUG_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOG_(Debug, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_DEBUG(logger, ...) RS_QUILL_LOGV_(Debug, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOGV_DEBUG_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGV_(Debug, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_DEBUG_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGV_(Debug, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_DEBUG(logger, ...) RS_QUILL_LOGJ_(Debug, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOGJ_DEBUG_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGJ_(Debug, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_DEBUG_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGJ_(Debug, logger, #__VA_ARGS__, __VA_ARGS__))

#define QUILL_LOG_INFO(logger, ...) RS_QUILL_LOG_(Info, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOG_INFO_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOG_(Info, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOG_INFO_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOG_(Info, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_INFO(logger, ...) RS_QUILL_LOGV_(Info, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOGV_INFO_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGV_(Info, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_INFO_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGV_(Info, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_INFO(logger, ...) RS_QUILL_LOGJ_(Info, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOGJ_INFO_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGJ_(Info, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_INFO_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGJ_(Info, logger, #__VA_ARGS__, __VA_ARGS__))

#define QUILL_LOG_NOTICE(logger, ...) RS_QUILL_LOG_(Notice, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOG_NOTICE_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOG_(Notice, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOG_NOTICE_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOG_(Notice, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_NOTICE(logger, ...) RS_QUILL_LOGV_(Notice, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOGV_NOTICE_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGV_(Notice, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_NOTICE_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGV_(Notice, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_NOTICE(logger, ...) RS_QUILL_LOGJ_(Notice, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOGJ_NOTICE_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGJ_(Notice, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_NOTICE_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGJ_(Notice, logger, #__VA_ARGS__, __VA_ARGS__))

#define QUILL_LOG_WARNING(logger, ...) RS_QUILL_LOG_(Warning, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOG_WARNING_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOG_(Warning, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOG_WARNING_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOG_(Warning, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_WARNING(logger, ...) RS_QUILL_LOGV_(Warning, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOGV_WARNING_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGV_(Warning, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_WARNING_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGV_(Warning, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_WARNING(logger, ...) RS_QUILL_LOGJ_(Warning, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOGJ_WARNING_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGJ_(Warning, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_WARNING_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGJ_(Warning, logger, #__VA_ARGS__, __VA_ARGS__))

#define QUILL_LOG_ERROR(logger, ...) RS_QUILL_LOG_(Error, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOG_ERROR_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOG_(Error, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOG_ERROR_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOG_(Error, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_ERROR(logger, ...) RS_QUILL_LOGV_(Error, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOGV_ERROR_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGV_(Error, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_ERROR_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGV_(Error, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_ERROR(logger, ...) RS_QUILL_LOGJ_(Error, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOGJ_ERROR_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGJ_(Error, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_ERROR_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGJ_(Error, logger, #__VA_ARGS__, __VA_ARGS__))

#define QUILL_LOG_CRITICAL(logger, ...) RS_QUILL_LOG_(Critical, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOG_CRITICAL_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOG_(Critical, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOG_CRITICAL_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOG_(Critical, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_CRITICAL(logger, ...) RS_QUILL_LOGV_(Critical, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOGV_CRITICAL_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGV_(Critical, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_CRITICAL_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGV_(Critical, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_CRITICAL(logger, ...) RS_QUILL_LOGJ_(Critical, logger, #__VA_ARGS__, __VA_ARGS__)
#define QUILL_LOGJ_CRITICAL_LIMIT(interval, logger, ...) \
  RS_EVERY_MS(RS_QUILL_MS_(interval), RS_QUILL_LOGJ_(Critical, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_CRITICAL_LIMIT_EVERY_N(n, logger, ...) \
  RS_EVERY_N(n, RS_QUILL_LOGJ_(Critical, logger, #__VA_ARGS__, __VA_ARGS__))

#define QUILL_LOG_BACKTRACE(logger, ...) RS_QUILL_LOG_(Backtrace, logger, #__VA_ARGS__, __VA_ARGS__)
