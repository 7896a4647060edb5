#pragma once
// quill's macros with tags: the tags, with a space between, are the category of the statement.

#include <ringside/category.h>

#include "variables.hpp"

// Up to eight literals.
#define TAGS(...) RS_QUILL_JOIN_(RS_QUILL_TAGS_, RS_QUILL_NUMBER_(_, __VA_ARGS__))(__VA_ARGS__)
#define QUILL_TAGS(...) TAGS(__VA_ARGS__)
#define RS_QUILL_TAGS_1(a_) a_
#define RS_QUILL_TAGS_2(a_, ...) a_ " " RS_QUILL_TAGS_1(__VA_ARGS__)
#define RS_QUILL_TAGS_3(a_, ...) a_ " " RS_QUILL_TAGS_2(__VA_ARGS__)
#define RS_QUILL_TAGS_4(a_, ...) a_ " " RS_QUILL_TAGS_3(__VA_ARGS__)
#define RS_QUILL_TAGS_5(a_, ...) a_ " " RS_QUILL_TAGS_4(__VA_ARGS__)
#define RS_QUILL_TAGS_6(a_, ...) a_ " " RS_QUILL_TAGS_5(__VA_ARGS__)
#define RS_QUILL_TAGS_7(a_, ...) a_ " " RS_QUILL_TAGS_6(__VA_ARGS__)
#define RS_QUILL_TAGS_8(a_, ...) a_ " " RS_QUILL_TAGS_7(__VA_ARGS__)
#define QUILL_LOG_TRACE_L3_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_TRACE_L3_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGV_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_TRACE_L3_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGJ_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOG_TRACE_L2_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_TRACE_L2_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGV_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_TRACE_L2_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGJ_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOG_TRACE_L1_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_TRACE_L1_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGV_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_TRACE_L1_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGJ_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOG_DEBUG_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(Debug, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_DEBUG_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGV_(Debug, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_DEBUG_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGJ_(Debug, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOG_INFO_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(Info, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_INFO_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGV_(Info, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_INFO_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGJ_(Info, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOG_NOTICE_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(Notice, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_NOTICE_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGV_(Notice, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_NOTICE_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGJ_(Notice, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOG_WARNING_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(Warning, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_WARNING_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGV_(Warning, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_WARNING_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGJ_(Warning, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOG_ERROR_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(Error, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_ERROR_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGV_(Error, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_ERROR_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGJ_(Error, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOG_CRITICAL_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(Critical, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGV_CRITICAL_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGV_(Critical, logger, #__VA_ARGS__, __VA_ARGS__))
#define QUILL_LOGJ_CRITICAL_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGJ_(Critical, logger, #__VA_ARGS__, __VA_ARGS__))

#if !defined(QUILL_DISABLE_NON_PREFIXED_MACROS)
#define LOG_TRACE_L3_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_TRACE_L3_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGV_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_TRACE_L3_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGJ_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOG_TRACE_L2_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_TRACE_L2_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGV_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_TRACE_L2_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGJ_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOG_TRACE_L1_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_TRACE_L1_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGV_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_TRACE_L1_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGJ_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOG_DEBUG_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(Debug, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_DEBUG_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGV_(Debug, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_DEBUG_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGJ_(Debug, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOG_INFO_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(Info, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_INFO_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGV_(Info, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_INFO_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGJ_(Info, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOG_NOTICE_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(Notice, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_NOTICE_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGV_(Notice, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_NOTICE_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGJ_(Notice, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOG_WARNING_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(Warning, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_WARNING_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGV_(Warning, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_WARNING_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGJ_(Warning, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOG_ERROR_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(Error, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_ERROR_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGV_(Error, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_ERROR_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGJ_(Error, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOG_CRITICAL_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(Critical, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGV_CRITICAL_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGV_(Critical, logger, #__VA_ARGS__, __VA_ARGS__))
#define LOGJ_CRITICAL_TAGS(logger, tags, ...) \
  RS_WITH_CATEGORY(tags, RS_QUILL_LOGJ_(Critical, logger, #__VA_ARGS__, __VA_ARGS__))
#endif
