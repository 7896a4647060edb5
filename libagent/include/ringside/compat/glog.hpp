#pragma once
/// @file
/// glog's interface for C++17 and later, recorded by Ringside: include it instead of
/// <glog/logging.h>.
///
/// Statements are those of <ringside/stream.hpp>: values are copied and the tools write the text.
/// Operands that only a std::ostream can write, and everything after a manipulator, are written in
/// the calling thread, which takes a microsecond and more. What has no meaning in Ringside is
/// reported on standard error, once. docs/migration/glog.md has a table.

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>

#include <ringside/compat/glog/check.hpp>
#include <ringside/compat/glog/log_message.hpp>
#include <ringside/compat/glog/platform.h>
#include <ringside/compat/glog/unused_settings.hpp>
#include <ringside/compat/glog/written_operand.hpp>
#include <ringside/ringside.hpp>
#include <ringside/stream.hpp>

namespace ringside::detail::glog {

inline bool is_initialized = false;

constexpr Level level_of(google::LogSeverity severity) {
  switch (severity) {
    case google::GLOG_INFO:
      return Level::trace;
    case google::GLOG_WARNING:
      return Level::warning;
    case google::GLOG_ERROR:
      return Level::error;
    default:
      return Level::critical;
  }
}

// FLAGS_minloglevel.
class MinimumSeverity {
 public:
  MinimumSeverity& operator=(int severity) {
    value_ = severity;
    set_level(level_of(severity));
    return *this;
  }
  operator int() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  int value_ = google::GLOG_INFO;
};

// A gate with google::COUNTER.
struct CountingGate {
  Gate gate;
  [[gnu::always_inline]] std::uint8_t operator()(rs_site* site) const {
    const std::uint8_t state = gate(site);
    if (state != 0) counter = __atomic_load_n(&gate.gate.word->value, __ATOMIC_RELAXED);
    return state;
  }
};

}  // namespace ringside::detail::glog

/// VLOG(n) records if n is at most this.
inline int FLAGS_v = 0;                                            // NOLINT
inline ringside::detail::glog::MinimumSeverity FLAGS_minloglevel;  // NOLINT

namespace google {

/// Has no effect but on IsGoogleLoggingInitialized().
inline void InitGoogleLogging(const char* /*argv0*/) {
  ringside::detail::glog::is_initialized = true;
}
/// Whether InitGoogleLogging() was called.
inline bool IsGoogleLoggingInitialized() {
  return ringside::detail::glog::is_initialized;
}
/// Undoes InitGoogleLogging().
inline void ShutdownGoogleLogging() {
  ringside::detail::glog::is_initialized = false;
}
/// The function that a fatal statement calls instead of abort(). Returns the former one.
inline logging_fail_func_t InstallFailureFunction(logging_fail_func_t function) {
  // Of the same type but for the attribute.
  return reinterpret_cast<logging_fail_func_t>(
      std::exchange(ringside::detail::glog::failure_function, function));
}
/// The text of an error number.
inline std::string StrError(int error) {
  char place[256] = "";
  return strerror_r(error, place, sizeof place);
}
/// ringside::flush() for at most 10 s.
inline void FlushLogFiles(LogSeverity /*severity*/) {
  ringside::flush(std::chrono::milliseconds(10'000));
}
/// As FlushLogFiles().
inline void FlushLogFilesUnsafe(LogSeverity severity) {
  FlushLogFiles(severity);
}

}  // namespace google

#define RS_GLOG_LEVEL_INFO RS_LEVEL_INFO
#define RS_GLOG_LEVEL_WARNING RS_LEVEL_WARNING
#define RS_GLOG_LEVEL_ERROR RS_LEVEL_ERROR
#define RS_GLOG_STATEMENT_(level_)                                                               \
  RS_STREAM_STATEMENT_IF_(RS_GLOG_IS_COMPILED_(level_), level_, ::ringside::detail::glog::Style, \
                          ::ringside::detail::glog::Record)
#define RS_GLOG_ERRNO_STATEMENT_(level_)                                                         \
  RS_STREAM_STATEMENT_IF_(RS_GLOG_IS_COMPILED_(level_), level_, ::ringside::detail::glog::Style, \
                          ::ringside::detail::glog::ErrnoRecord)
/// Statements of a lower severity are removed by the compiler. Fatal ones still end the process.
#ifndef GOOGLE_STRIP_LOG
#define GOOGLE_STRIP_LOG 0
#endif
#define RS_GLOG_IS_COMPILED_(level_) \
  (RS_IS_COMPILED_(level_) && ::ringside::detail::glog::severity_of(level_) >= GOOGLE_STRIP_LOG)

// What comes before a statement. Loops and switches: unlike `if`, they leave no `else` ambiguous.
#define RS_GLOG_IF_(condition_) for (bool rs_is_due_ = (condition_); rs_is_due_; rs_is_due_ = false)
#define RS_GLOG_FAIL_IF_(condition_)                     \
  for (bool rs_is_failed_ = (condition_); rs_is_failed_; \
       rs_is_failed_ = ::ringside::detail::glog::fail())
#define RS_GLOG_GATE_(kind_, number_)                                                     \
  switch (static rs_gate_word rs_glog_word_; 0)                                           \
  case 0:                                                                                 \
  default:                                                                                \
    switch (const rs_gate* const rs_glog_outer_ = RS_OUTER_GATE_; 0)                      \
    case 0:                                                                               \
    default:                                                                              \
      switch (const ::ringside::detail::glog::CountingGate rs_site_enabled{               \
          {{rs_glog_outer_, &rs_glog_word_, static_cast<std::int64_t>(number_), kind_}}}; \
              0)                                                                          \
      case 0:                                                                             \
      default:

#define RS_GLOG_INFO RS_GLOG_STATEMENT_(RS_LEVEL_INFO)
#define RS_GLOG_WARNING RS_GLOG_STATEMENT_(RS_LEVEL_WARNING)
#define RS_GLOG_ERROR RS_GLOG_STATEMENT_(RS_LEVEL_ERROR)
#define RS_GLOG_FATAL \
  for (;; ::ringside::detail::glog::fail()) RS_GLOG_STATEMENT_(RS_LEVEL_CRITICAL)
#define RS_GLOG_PLOG_INFO RS_GLOG_ERRNO_STATEMENT_(RS_LEVEL_INFO)
#define RS_GLOG_PLOG_WARNING RS_GLOG_ERRNO_STATEMENT_(RS_LEVEL_WARNING)
#define RS_GLOG_PLOG_ERROR RS_GLOG_ERRNO_STATEMENT_(RS_LEVEL_ERROR)
#define RS_GLOG_PLOG_FATAL \
  for (;; ::ringside::detail::glog::fail()) RS_GLOG_ERRNO_STATEMENT_(RS_LEVEL_CRITICAL)
#if defined(NDEBUG) && !defined(DCHECK_ALWAYS_ON)
#define DCHECK_IS_ON() 0
#define RS_GLOG_DFATAL RS_GLOG_ERROR
#else
#define DCHECK_IS_ON() 1
#define RS_GLOG_DFATAL RS_GLOG_FATAL
#endif

/// Records a message; FATAL then waits a second at most for the trace file and calls abort().
#define LOG(severity) RS_GLOG_##severity
#define SYSLOG(severity) LOG(severity)
#define LOG_IF(severity, condition) RS_GLOG_IF_(condition) LOG(severity)
#define LOG_ASSERT(condition) CHECK(condition)
#define SYSLOG_IF(severity, condition) LOG_IF(severity, condition)
#define SYSLOG_EVERY_N(severity, n) LOG_EVERY_N(severity, n)
#define SYSLOG_ASSERT(condition) CHECK(condition)
#define LOG_EVERY_N(severity, n) RS_GLOG_GATE_(RS_GATE_EVERY_N, n) LOG(severity)
#define LOG_FIRST_N(severity, n) RS_GLOG_GATE_(RS_GATE_FIRST_N, n) LOG(severity)
#define LOG_EVERY_T(severity, seconds) RS_GLOG_GATE_(RS_GATE_EVERY_MS, (seconds)*1000) LOG(severity)
#define LOG_IF_EVERY_N(severity, condition, n) RS_GLOG_IF_(condition) LOG_EVERY_N(severity, n)
#define PLOG(severity) RS_GLOG_PLOG_##severity
#define PLOG_IF(severity, condition) RS_GLOG_IF_(condition) PLOG(severity)
#define PLOG_EVERY_N(severity, n) RS_GLOG_GATE_(RS_GATE_EVERY_N, n) PLOG(severity)

#define VLOG_IS_ON(verboselevel) (FLAGS_v >= (verboselevel))
#define VLOG(verboselevel) LOG_IF(INFO, VLOG_IS_ON(verboselevel))
#define VLOG_IF(verboselevel, condition) LOG_IF(INFO, VLOG_IS_ON(verboselevel) && (condition))
#define VLOG_EVERY_N(verboselevel, n) LOG_IF_EVERY_N(INFO, VLOG_IS_ON(verboselevel), n)
#define VLOG_IF_EVERY_N(verboselevel, condition, n) \
  LOG_IF_EVERY_N(INFO, VLOG_IS_ON(verboselevel) && (condition), n)

/// Ends the process as LOG(FATAL) does if the condition is false.
#define CHECK(condition)                                               \
  RS_GLOG_FAIL_IF_(__builtin_expect(!static_cast<bool>(condition), 0)) \
  RS_GLOG_STATEMENT_(RS_LEVEL_CRITICAL) << "Check failed: " #condition " "
#define PCHECK(condition)                                              \
  RS_GLOG_FAIL_IF_(__builtin_expect(!static_cast<bool>(condition), 0)) \
  RS_GLOG_ERRNO_STATEMENT_(RS_LEVEL_CRITICAL) << "Check failed: " #condition " "
#define CHECK_ERR(invocation)                               \
  RS_GLOG_FAIL_IF_(__builtin_expect((invocation) == -1, 0)) \
  RS_GLOG_ERRNO_STATEMENT_(RS_LEVEL_CRITICAL) << #invocation
#define RS_GLOG_FAILURE_(failure_, text_)                                                     \
  for (const ::ringside::detail::glog::Failure rs_failure_ = failure_; rs_failure_.is_failed; \
       ::ringside::detail::glog::fail())                                                      \
  RS_GLOG_STATEMENT_(RS_LEVEL_CRITICAL) << "Check failed: " text_ " " << rs_failure_.operands
#define RS_GLOG_COMPARE_(operator_, a_, b_)                                                \
  RS_GLOG_FAILURE_(                                                                        \
      ::ringside::detail::glog::compare(a_, b_,                                            \
                                        [](const auto& rs_a_, const auto& rs_b_) {         \
                                          return static_cast<bool>(rs_a_ operator_ rs_b_); \
                                        }),                                                \
      #a_ " " #operator_ " " #b_)
#define CHECK_EQ(val1, val2) RS_GLOG_COMPARE_(==, val1, val2)
#define CHECK_NE(val1, val2) RS_GLOG_COMPARE_(!=, val1, val2)
#define CHECK_LE(val1, val2) RS_GLOG_COMPARE_(<=, val1, val2)
#define CHECK_LT(val1, val2) RS_GLOG_COMPARE_(<, val1, val2)
#define CHECK_GE(val1, val2) RS_GLOG_COMPARE_(>=, val1, val2)
#define CHECK_GT(val1, val2) RS_GLOG_COMPARE_(>, val1, val2)
#define RS_GLOG_TEXTS_(function_, are_equal_, name_, s1_, s2_)                               \
  RS_GLOG_FAILURE_(::ringside::detail::glog::compare_texts(s1_, s2_, function_, are_equal_), \
                   name_ " failed: " #s1_ ", " #s2_)
#define CHECK_STREQ(s1, s2) RS_GLOG_TEXTS_(&strcmp, true, "CHECK_STREQ", s1, s2)
#define CHECK_STRNE(s1, s2) RS_GLOG_TEXTS_(&strcmp, false, "CHECK_STRNE", s1, s2)
#define CHECK_STRCASEEQ(s1, s2) RS_GLOG_TEXTS_(&strcasecmp, true, "CHECK_STRCASEEQ", s1, s2)
#define CHECK_STRCASENE(s1, s2) RS_GLOG_TEXTS_(&strcasecmp, false, "CHECK_STRCASENE", s1, s2)
#define CHECK_INDEX(I, A) CHECK(I < (sizeof(A) / sizeof(A[0])))
#define CHECK_BOUND(B, A) CHECK(B <= (sizeof(A) / sizeof(A[0])))
#define CHECK_DOUBLE_EQ(val1, val2) CHECK_NEAR(val1, val2, 0.000000000000001L)
#define CHECK_NEAR(val1, val2, margin)   \
  do {                                   \
    CHECK_LE((val1), (val2) + (margin)); \
    CHECK_GE((val1), (val2) - (margin)); \
  } while (0)
/// The value, which must not be null.
#define CHECK_NOTNULL(val) \
  ::google::CheckNotNull(__FILE__, __LINE__, "'" #val "' must not be null", (val))

namespace google {

/// CHECK_NOTNULL.
template <class T>
T CheckNotNull(const char* file, int line, const char* text, T&& value) {
  if (__builtin_expect(value == nullptr, 0)) {
    RS_GLOG_FATAL << text << " at " << file << ':' << line;
  }
  return std::forward<T>(value);
}

}  // namespace google

// Without debugging, statements compile and have no effect.
#if DCHECK_IS_ON()
#define RS_GLOG_DEBUG_
#else
#define RS_GLOG_DEBUG_ for (bool rs_is_debug_ = false; rs_is_debug_; rs_is_debug_ = false)
#endif
#define DLOG(severity) RS_GLOG_DEBUG_ LOG(severity)
#define DVLOG(verboselevel) RS_GLOG_DEBUG_ VLOG(verboselevel)
#define DLOG_IF(severity, condition) RS_GLOG_DEBUG_ LOG_IF(severity, condition)
#define DLOG_EVERY_N(severity, n) RS_GLOG_DEBUG_ LOG_EVERY_N(severity, n)
#define DLOG_FIRST_N(severity, n) RS_GLOG_DEBUG_ LOG_FIRST_N(severity, n)
#define DLOG_EVERY_T(severity, seconds) RS_GLOG_DEBUG_ LOG_EVERY_T(severity, seconds)
#define DLOG_IF_EVERY_N(severity, condition, n) \
  RS_GLOG_DEBUG_ LOG_IF_EVERY_N(severity, condition, n)
#define DLOG_ASSERT(condition) RS_GLOG_DEBUG_ LOG_ASSERT(condition)
#define DCHECK(condition) RS_GLOG_DEBUG_ CHECK(condition)
#define DCHECK_EQ(val1, val2) RS_GLOG_DEBUG_ CHECK_EQ(val1, val2)
#define DCHECK_NE(val1, val2) RS_GLOG_DEBUG_ CHECK_NE(val1, val2)
#define DCHECK_LE(val1, val2) RS_GLOG_DEBUG_ CHECK_LE(val1, val2)
#define DCHECK_LT(val1, val2) RS_GLOG_DEBUG_ CHECK_LT(val1, val2)
#define DCHECK_GE(val1, val2) RS_GLOG_DEBUG_ CHECK_GE(val1, val2)
#define DCHECK_GT(val1, val2) RS_GLOG_DEBUG_ CHECK_GT(val1, val2)
#define DCHECK_STREQ(s1, s2) RS_GLOG_DEBUG_ CHECK_STREQ(s1, s2)
#define DCHECK_STRNE(s1, s2) RS_GLOG_DEBUG_ CHECK_STRNE(s1, s2)
#define DCHECK_STRCASEEQ(s1, s2) RS_GLOG_DEBUG_ CHECK_STRCASEEQ(s1, s2)
#define DCHECK_STRCASENE(s1, s2) RS_GLOG_DEBUG_ CHECK_STRCASENE(s1, s2)
#if DCHECK_IS_ON()
#define DCHECK_NOTNULL(val) CHECK_NOTNULL(val)
#else
#define DCHECK_NOTNULL(val) (val)
#endif
