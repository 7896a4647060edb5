#pragma once
// quill's macros with a level that is known at run time: a statement for each level.

#include "tagged_macros.hpp"

#define QUILL_LOG_DYNAMIC(logger, log_level, ...)                    \
  do {                                                               \
    switch (log_level) {                                             \
      case ::quill::LogLevel::TraceL3:                               \
        RS_QUILL_LOG_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__);   \
        break;                                                       \
      case ::quill::LogLevel::TraceL2:                               \
        RS_QUILL_LOG_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__);   \
        break;                                                       \
      case ::quill::LogLevel::TraceL1:                               \
        RS_QUILL_LOG_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__);   \
        break;                                                       \
      case ::quill::LogLevel::Debug:                                 \
        RS_QUILL_LOG_(Debug, logger, #__VA_ARGS__, __VA_ARGS__);     \
        break;                                                       \
      case ::quill::LogLevel::Info:                                  \
        RS_QUILL_LOG_(Info, logger, #__VA_ARGS__, __VA_ARGS__);      \
        break;                                                       \
      case ::quill::LogLevel::Notice:                                \
        RS_QUILL_LOG_(Notice, logger, #__VA_ARGS__, __VA_ARGS__);    \
        break;                                                       \
      case ::quill::LogLevel::Warning:                               \
        RS_QUILL_LOG_(Warning, logger, #__VA_ARGS__, __VA_ARGS__);   \
        break;                                                       \
      case ::quill::LogLevel::Error:                                 \
        RS_QUILL_LOG_(Error, logger, #__VA_ARGS__, __VA_ARGS__);     \
        break;                                                       \
      case ::quill::LogLevel::Critical:                              \
        RS_QUILL_LOG_(Critical, logger, #__VA_ARGS__, __VA_ARGS__);  \
        break;                                                       \
      case ::quill::LogLevel::Backtrace:                             \
        RS_QUILL_LOG_(Backtrace, logger, #__VA_ARGS__, __VA_ARGS__); \
        break;                                                       \
      default:                                                       \
        break;                                                       \
    }                                                                \
  } while (0)
#define QUILL_LOG_DYNAMIC_TAGS(logger, log_level, tags, ...)                                 \
  do {                                                                                       \
    switch (log_level) {                                                                     \
      case ::quill::LogLevel::TraceL3:                                                       \
        RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(TraceL3, logger, #__VA_ARGS__, __VA_ARGS__));   \
        break;                                                                               \
      case ::quill::LogLevel::TraceL2:                                                       \
        RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(TraceL2, logger, #__VA_ARGS__, __VA_ARGS__));   \
        break;                                                                               \
      case ::quill::LogLevel::TraceL1:                                                       \
        RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(TraceL1, logger, #__VA_ARGS__, __VA_ARGS__));   \
        break;                                                                               \
      case ::quill::LogLevel::Debug:                                                         \
        RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(Debug, logger, #__VA_ARGS__, __VA_ARGS__));     \
        break;                                                                               \
      case ::quill::LogLevel::Info:                                                          \
        RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(Info, logger, #__VA_ARGS__, __VA_ARGS__));      \
        break;                                                                               \
      case ::quill::LogLevel::Notice:                                                        \
        RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(Notice, logger, #__VA_ARGS__, __VA_ARGS__));    \
        break;                                                                               \
      case ::quill::LogLevel::Warning:                                                       \
        RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(Warning, logger, #__VA_ARGS__, __VA_ARGS__));   \
        break;                                                                               \
      case ::quill::LogLevel::Error:                                                         \
        RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(Error, logger, #__VA_ARGS__, __VA_ARGS__));     \
        break;                                                                               \
      case ::quill::LogLevel::Critical:                                                      \
        RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(Critical, logger, #__VA_ARGS__, __VA_ARGS__));  \
        break;                                                                               \
      case ::quill::LogLevel::Backtrace:                                                     \
        RS_WITH_CATEGORY(tags, RS_QUILL_LOG_(Backtrace, logger, #__VA_ARGS__, __VA_ARGS__)); \
        break;                                                                               \
      default:                                                                               \
        break;                                                                               \
    }                                                                                        \
  } while (0)

#if !defined(QUILL_DISABLE_NON_PREFIXED_MACROS)
#define LOG_DYNAMIC(logger, log_level, ...) QUILL_LOG_DYNAMIC(logger, log_level, __VA_ARGS__)
#define LOG_DYNAMIC_TAGS(logger, log_level, tags, ...) \
  QUILL_LOG_DYNAMIC_TAGS(logger, log_level, tags, __VA_ARGS__)
#endif
