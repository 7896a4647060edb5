#pragma once
/// @file
/// Sources written for NanoLog's C++17 interface, recorded by Ringside.
///
/// Replace `#include "NanoLogCpp17.h"` by this header, or add the folder ringside/compat/nanolog,
/// which has a header of that name, to the paths for includes. A call costs what RS_LOG costs, and
/// one comparison with NanoLog's level. What Ringside cannot do is reported on standard error, once
/// for each function. docs/migration/nanolog.md lists the differences.

#ifdef NANOLOG_CPP17_H
#error "include either NanoLogCpp17.h or <ringside/compat/nanolog.hpp>, not both"
#endif
#define NANOLOG_CPP17_H
#define NANOLOG_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <utility>

#include <ringside/ringside.hpp>

/// NanoLog's interface.
namespace NanoLog {

/// NanoLog's levels.
namespace LogLevels {
enum LogLevel {
  SILENT_LOG_LEVEL = 0,  ///< as a threshold: nothing is recorded
  ERROR,                 ///< RS_LEVEL_ERROR
  WARNING,               ///< RS_LEVEL_WARNING
  NOTICE,                ///< RS_LEVEL_NOTICE
  DEBUG,                 ///< RS_LEVEL_DEBUG
  NUM_LOG_LEVELS
};
}  // namespace LogLevels
using namespace LogLevels;  // NOLINT(google-global-names-in-headers): as NanoLog

namespace detail {

// Statements below it are not recorded. Statements of Ringside's own macros do not obey it.
inline int log_level = NOTICE;
inline constexpr std::chrono::milliseconds kSyncBound{10'000};

constexpr std::uint8_t level_of(LogLevel level) {
  switch (level) {
    case WARNING:
      return RS_LEVEL_WARNING;
    case NOTICE:
      return RS_LEVEL_NOTICE;
    case DEBUG:
      return RS_LEVEL_DEBUG;
    case ERROR:
      return RS_LEVEL_ERROR;
    default:  // NanoLog records a statement of level SILENT_LOG_LEVEL always
      return RS_LEVEL_CRITICAL;
  }
}

}  // namespace detail

/// ringside::preallocate().
inline void preallocate() noexcept {
  ringside::preallocate();
}

/// Reports once that it has no effect: consumerd chooses the trace file.
inline void setLogFile(const char* /*filename*/) noexcept {
  static std::uint8_t is_reported = 0;
  rs_report_once(&is_reported,
                 "NanoLog::setLogFile has no effect: consumerd chooses the trace file; set its "
                 "option --output");
}

/// The threshold of all NANO_LOG statements; NOTICE at first. Statements that `ringctl` has
/// disabled stay disabled.
inline void setLogLevel(LogLevel level) noexcept {
  const int bounded = std::clamp<int>(level, SILENT_LOG_LEVEL, NUM_LOG_LEVELS - 1);
  __atomic_store_n(&detail::log_level, bounded, __ATOMIC_RELAXED);
}

/// The threshold.
inline LogLevel getLogLevel() noexcept {
  return static_cast<LogLevel>(__atomic_load_n(&detail::log_level, __ATOMIC_RELAXED));
}

/// ringside::flush() for at most 10 s. Reports once if records are not in the trace file then.
inline void sync() noexcept {
  static std::uint8_t is_reported = 0;
  if (ringside::flush(detail::kSyncBound)) return;
  rs_report_once(&is_reported,
                 "NanoLog::sync returned before all records were in the trace file: it waits 10 s "
                 "at most; check that consumerd runs");
}

/// State, segment and lost records as text. NanoLog's own statistics do not exist: `ringstat` shows
/// those of Ringside.
inline std::string getStats() {
  const ringside::Status status = ringside::status();
  return "Ringside: segment " + (status.segment_path.empty() ? "none" : status.segment_path) +
         ", lost records " + std::to_string(ringside::losses()) + "; see ringstat for more\n" +
         (status.message.empty() ? "" : status.message + "\n");
}

/// Prints getStats() to standard output: Ringside's options are those of init() and of the
/// environment.
inline void printConfig() {
  std::printf("==== NanoLog Configuration ====\n%s", getStats().c_str());
}

/// -1, and reports once why: the service has no background thread.
inline int getCoreIdOfBackgroundThread() noexcept {
  static std::uint8_t is_reported = 0;
  rs_report_once(&is_reported,
                 "NanoLog::getCoreIdOfBackgroundThread returns -1: the service has no background "
                 "thread; set the processors of consumerd with taskset");
  return -1;
}

}  // namespace NanoLog

/// Records a message in the style of printf: RS_LOG with NanoLog's levels and threshold.
///
/// @param severity  DEBUG, NOTICE, WARNING or ERROR
/// @param ...  format, a literal or a constexpr array of static storage; then up to 255 arguments
/// @par Return value
/// None.
/// @par Thread safety
/// As RS_LOG.
#define NANO_LOG(severity, ...)                                                                   \
  do {                                                                                            \
    if (NanoLog::severity > NanoLog::getLogLevel()) break;                                        \
    RS_FORMATTED_STATEMENT_(                                                                      \
        RS_STYLE_PRINTF, RS_FIRST_(__VA_ARGS__, ), RsArguments::printf(RS_FIRST_(__VA_ARGS__, )), \
        ::NanoLog::detail::level_of(NanoLog::severity), 0, #__VA_ARGS__, __VA_ARGS__);            \
  } while (0)
