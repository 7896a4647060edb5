#pragma once
// glog's settings and functions that have no effect: consumerd writes the trace files.

#include <chrono>
#include <string>

#include <ringside/ringside.hpp>

#include "log_sink.hpp"

namespace ringside::detail::glog {

inline void report_destination() noexcept {
  static std::uint8_t is_reported = 0;
  rs_report_once(&is_reported,
                 "glog's destinations, file names, prefixes, e-mails and standard error have no "
                 "effect: consumerd writes the trace files; set its options --output and "
                 "--rotate-bytes");
}

// A flag that has no effect.
template <class T>
class UnusedFlag {
 public:
  UnusedFlag(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  UnusedFlag& operator=(T value) {
    value_ = std::move(value);
    report_destination();
    return *this;
  }
  operator const T&() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  T value_;
};

}  // namespace ringside::detail::glog

// NOLINTBEGIN(readability-identifier-naming,cert-err58-cpp): glog's names and values
inline ringside::detail::glog::UnusedFlag<bool> FLAGS_logtostderr = false;
inline ringside::detail::glog::UnusedFlag<bool> FLAGS_logtostdout = false;
inline ringside::detail::glog::UnusedFlag<bool> FLAGS_alsologtostderr = false;
inline ringside::detail::glog::UnusedFlag<bool> FLAGS_colorlogtostderr = false;
inline ringside::detail::glog::UnusedFlag<bool> FLAGS_colorlogtostdout = false;
inline ringside::detail::glog::UnusedFlag<bool> FLAGS_log_prefix = true;
inline ringside::detail::glog::UnusedFlag<bool> FLAGS_log_utc_time = false;
inline ringside::detail::glog::UnusedFlag<bool> FLAGS_log_year_in_prefix = true;
inline ringside::detail::glog::UnusedFlag<bool> FLAGS_timestamp_in_logfile_name = true;
inline ringside::detail::glog::UnusedFlag<bool> FLAGS_stop_logging_if_full_disk = false;
inline ringside::detail::glog::UnusedFlag<bool> FLAGS_drop_log_memory = true;
inline ringside::detail::glog::UnusedFlag<bool> FLAGS_symbolize_stacktrace = true;
inline ringside::detail::glog::UnusedFlag<int> FLAGS_stderrthreshold = 2;
inline ringside::detail::glog::UnusedFlag<int> FLAGS_max_log_size = 1800;
inline ringside::detail::glog::UnusedFlag<int> FLAGS_logbufsecs = 30;
inline ringside::detail::glog::UnusedFlag<int> FLAGS_logbuflevel = 0;
inline ringside::detail::glog::UnusedFlag<int> FLAGS_logfile_mode = 0664;
inline ringside::detail::glog::UnusedFlag<int> FLAGS_logemaillevel = 999;
inline ringside::detail::glog::UnusedFlag<int> FLAGS_logcleansecs = 300;
inline ringside::detail::glog::UnusedFlag<bool> FLAGS_log_file_header = true;
inline ringside::detail::glog::UnusedFlag<std::string> FLAGS_log_dir = std::string();
inline ringside::detail::glog::UnusedFlag<std::string> FLAGS_log_link = std::string();
inline ringside::detail::glog::UnusedFlag<std::string> FLAGS_log_backtrace_at = std::string();
inline ringside::detail::glog::UnusedFlag<std::string> FLAGS_alsologtoemail = std::string();
inline ringside::detail::glog::UnusedFlag<std::string> FLAGS_logmailer = std::string();
inline ringside::detail::glog::UnusedFlag<std::string> FLAGS_vmodule = std::string();
// NOLINTEND(readability-identifier-naming,cert-err58-cpp)

namespace google {

// Each reports once that it has no effect.
#define RS_GLOG_UNUSED_(function_)                    \
  template <class... Arguments>                       \
  void function_(const Arguments&... /*arguments*/) { \
    ringside::detail::glog::report_destination();     \
  }
RS_GLOG_UNUSED_(SetLogDestination)
RS_GLOG_UNUSED_(SetLogSymlink)
RS_GLOG_UNUSED_(SetLogFilenameExtension)
RS_GLOG_UNUSED_(SetStderrLogging)
RS_GLOG_UNUSED_(LogToStderr)
RS_GLOG_UNUSED_(SetEmailLogging)
RS_GLOG_UNUSED_(SetApplicationFingerprint)
RS_GLOG_UNUSED_(InstallPrefixFormatter)
RS_GLOG_UNUSED_(EnableLogCleaner)
RS_GLOG_UNUSED_(DisableLogCleaner)
#undef RS_GLOG_UNUSED_

/// Reports once that it has no effect: records survive a crash, stacks are not recorded.
inline void InstallFailureSignalHandler() {
  static std::uint8_t is_reported = 0;
  rs_report_once(&is_reported,
                 "google::InstallFailureSignalHandler has no effect: records survive a crash; use "
                 "core dumps for stacks");
}
inline bool IsFailureSignalHandlerInstalled() {
  return false;
}
/// Reports once that it has no effect.
inline void InstallFailureWriter(void (* /*writer*/)(const char* data, std::size_t size)) {
  InstallFailureSignalHandler();
}
/// Returns FLAGS_v after a report that there are no levels of single modules.
inline int SetVLOGLevel(const char* /*module_pattern*/, int log_level) {
  static std::uint8_t is_reported = 0;
  rs_report_once(&is_reported,
                 "google::SetVLOGLevel has no effect: set FLAGS_v, or switch statements by their "
                 "file with ringctl");
  return log_level;
}

}  // namespace google
