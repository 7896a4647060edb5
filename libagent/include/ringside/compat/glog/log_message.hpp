#pragma once
// glog's messages at a place or of a severity that is known at run time: texts that the service
// writes.

#include <ringside/text.hpp>

#include "check.hpp"
#include "log_sink.hpp"

namespace google {

/// Takes a text through stream() and records it in its destructor, at its severity and place. A
/// fatal one then ends the process as LOG(FATAL) does.
class LogMessage {
 public:
  LogMessage(const char* file, int line, LogSeverity severity = GLOG_INFO)
      : file_(file), line_(line), severity_(severity) {}
  /// Also for one sink, whether it is added or not.
  LogMessage(const char* file, int line, LogSeverity severity, LogSink* sink, bool also_send_to_log)
      : file_(file),
        line_(line),
        severity_(severity),
        sink_(sink),
        is_recorded_(also_send_to_log) {}
  /// Also assigns the text, unless `message` is null.
  LogMessage(const char* file, int line, LogSeverity severity, std::string* message)
      : file_(file), line_(line), severity_(severity), string_(message) {}
  /// Appends the text instead, unless `outvec` is null.
  LogMessage(const char* file, int line, LogSeverity severity, std::vector<std::string>* outvec)
      : file_(file), line_(line), severity_(severity), list_(outvec) {}
  LogMessage(const LogMessage&) = delete;
  LogMessage& operator=(const LogMessage&) = delete;
  ~LogMessage() { Flush(); }

  std::ostream& stream() { return stream_; }
  LogSeverity severity() const noexcept { return severity_; }
  int line() const noexcept { return line_; }
  const char* fullname() const noexcept { return file_; }
  const LogMessageTime& time() const noexcept { return time_; }
  const char* basename() const noexcept { return ringside::detail::glog::base_name(file_); }

  /// Records now instead of in the destructor.
  void Flush() {
    if (is_flushed_) return;
    is_flushed_ = true;
    std::string text = stream_.str();
    if (!text.empty() && text.back() == '\n') text.pop_back();
    namespace glog = ringside::detail::glog;
    if (list_ != nullptr) {
      list_->push_back(std::move(text));
      return;
    }
    if (string_ != nullptr) *string_ = text;
    if (is_recorded_) {
      record(text);
      if (glog::has_sinks.load(std::memory_order_relaxed)) {
        glog::send_to_all(severity_, file_, line_, text);
      }
    }
    if (sink_ != nullptr) {
      glog::send_to(*sink_, severity_, file_, line_, text);
      sink_->WaitTillSent();
    }
    if (severity_ == GLOG_FATAL && is_recorded_) glog::fail();
  }

 private:
  void record(std::string_view text) const {
    constexpr std::uint8_t kLevels[] = {RS_LEVEL_INFO, RS_LEVEL_WARNING, RS_LEVEL_ERROR,
                                        RS_LEVEL_CRITICAL};
    const bool is_known = severity_ >= 0 && severity_ < NUM_SEVERITIES;
    std::uint8_t state = 0;
    rs_site* const site =
        ringside::detail::enabled_text_site({file_, "", "", 0, static_cast<std::uint32_t>(line_),
                                             kLevels[is_known ? severity_ : GLOG_INFO]},
                                            &state);
    if (site != nullptr) ringside::detail::record_text(site, state, {text.data(), text.size()});
  }

  const char* file_;
  int line_;
  LogSeverity severity_;
  LogMessageTime time_;
  LogSink* sink_ = nullptr;
  std::string* string_ = nullptr;
  std::vector<std::string>* list_ = nullptr;
  bool is_recorded_ = true;
  bool is_flushed_ = false;
  std::ostringstream stream_;
};

/// Records the text, at the place of this function.
inline void LogAtLevel(LogSeverity severity, const std::string& msg) {
  LogMessage(__FILE__, __LINE__, severity).stream() << msg;
}

}  // namespace google

/// A severity that is known at run time.
#define LOG_AT_LEVEL(severity) ::google::LogMessage(__FILE__, __LINE__, severity).stream()
#define LOG_TO_SINK(sink, severity)                                   \
  ::google::LogMessage(__FILE__, __LINE__, ::google::GLOG_##severity, \
                       static_cast<::google::LogSink*>(sink), true)   \
      .stream()
#define LOG_TO_SINK_BUT_NOT_TO_LOGFILE(sink, severity)                \
  ::google::LogMessage(__FILE__, __LINE__, ::google::GLOG_##severity, \
                       static_cast<::google::LogSink*>(sink), false)  \
      .stream()
#define LOG_TO_STRING(severity, message)                              \
  ::google::LogMessage(__FILE__, __LINE__, ::google::GLOG_##severity, \
                       static_cast<std::string*>(message))            \
      .stream()
#define LOG_STRING(severity, outvec)                                   \
  ::google::LogMessage(__FILE__, __LINE__, ::google::GLOG_##severity,  \
                       static_cast<std::vector<std::string>*>(outvec)) \
      .stream()
