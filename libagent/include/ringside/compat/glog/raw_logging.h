/* The name of glog's header, for sources that stay unchanged. */
#pragma once
// glog's statements in the style of printf: those of <ringside/log.hpp>.

#include <ringside/compat/glog.hpp>
#include <ringside/log.hpp>

#define RS_GLOG_RAW_INFO(...) RS_INFO(__VA_ARGS__)
#define RS_GLOG_RAW_WARNING(...) RS_WARNING(__VA_ARGS__)
#define RS_GLOG_RAW_ERROR(...) RS_ERROR(__VA_ARGS__)
#define RS_GLOG_RAW_FATAL(...)        \
  do {                                \
    RS_CRITICAL(__VA_ARGS__);         \
    ::ringside::detail::glog::fail(); \
  } while (0)

/// Records a message with a format of printf, which must be a literal.
#define RAW_LOG(severity, ...) RS_GLOG_RAW_##severity(__VA_ARGS__)
#define RAW_LOG_INFO(...) RS_GLOG_RAW_INFO(__VA_ARGS__)
#define RAW_LOG_WARNING(...) RS_GLOG_RAW_WARNING(__VA_ARGS__)
#define RAW_LOG_ERROR(...) RS_GLOG_RAW_ERROR(__VA_ARGS__)
#define RAW_LOG_FATAL(...) RS_GLOG_RAW_FATAL(__VA_ARGS__)
#define RAW_VLOG(verboselevel, ...)                              \
  do {                                                           \
    if (VLOG_IS_ON(verboselevel)) RS_GLOG_RAW_INFO(__VA_ARGS__); \
  } while (0)
#define RAW_CHECK(condition, message)                                \
  do {                                                               \
    if (__builtin_expect(!(condition), 0)) {                         \
      RS_GLOG_RAW_FATAL("Check %s failed: %s", #condition, message); \
    }                                                                \
  } while (0)
#if DCHECK_IS_ON()
#define RAW_DLOG(severity, ...) RAW_LOG(severity, __VA_ARGS__)
#define RAW_DCHECK(condition, message) RAW_CHECK(condition, message)
#else
#define RAW_DLOG(severity, ...)                \
  do {                                         \
    if (false) RAW_LOG(severity, __VA_ARGS__); \
  } while (0)
#define RAW_DCHECK(condition, message)        \
  do {                                        \
    if (false) RAW_CHECK(condition, message); \
  } while (0)
#endif
