#pragma once
// glog's sinks: while there is one, statements write their text for it too.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <ostream>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <ringside/stream.hpp>

namespace google {

using int32 = std::int32_t;
using uint32 = std::uint32_t;
using int64 = std::int64_t;
using uint64 = std::uint64_t;

/// A severity.
using LogSeverity = int;
inline constexpr LogSeverity GLOG_INFO = 0;     ///< RS_LEVEL_INFO
inline constexpr LogSeverity GLOG_WARNING = 1;  ///< RS_LEVEL_WARNING
inline constexpr LogSeverity GLOG_ERROR = 2;    ///< RS_LEVEL_ERROR
inline constexpr LogSeverity GLOG_FATAL = 3;    ///< RS_LEVEL_CRITICAL
inline constexpr LogSeverity NUM_SEVERITIES = 4;
#ifndef GLOG_NO_ABBREVIATED_SEVERITIES
inline constexpr LogSeverity INFO = GLOG_INFO;
inline constexpr LogSeverity WARNING = GLOG_WARNING;
inline constexpr LogSeverity ERROR = GLOG_ERROR;
inline constexpr LogSeverity FATAL = GLOG_FATAL;
#endif

inline const char* GetLogSeverityName(LogSeverity severity) {
  constexpr const char* kNames[] = {"INFO", "WARNING", "ERROR", "FATAL"};
  return kNames[severity >= 0 && severity < NUM_SEVERITIES ? severity : GLOG_FATAL];
}

/// When a message was logged, in local time.
class LogMessageTime {
 public:
  LogMessageTime() : LogMessageTime(std::chrono::system_clock::now()) {}
  explicit LogMessageTime(std::chrono::system_clock::time_point now) : when_(now) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    localtime_r(&seconds, &tm_);
  }
  const std::chrono::system_clock::time_point& when() const noexcept { return when_; }
  int sec() const noexcept { return tm_.tm_sec; }
  long usec() const noexcept {
    const auto since = std::chrono::duration_cast<std::chrono::microseconds>(  //
        when_.time_since_epoch());
    return static_cast<long>(since.count() % 1'000'000);
  }
  int min() const noexcept { return tm_.tm_min; }
  int hour() const noexcept { return tm_.tm_hour; }
  int day() const noexcept { return tm_.tm_mday; }
  int month() const noexcept { return tm_.tm_mon; }
  int year() const noexcept { return tm_.tm_year; }
  int dayOfWeek() const noexcept { return tm_.tm_wday; }
  int dayInYear() const noexcept { return tm_.tm_yday; }
  int dst() const noexcept { return tm_.tm_isdst; }
  const std::tm& tm() const noexcept { return tm_; }

 private:
  std::chrono::system_clock::time_point when_;
  std::tm tm_{};
};

/// Gets each message as text, in the thread that logs. Must be thread-safe and must not log.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void send(LogSeverity severity, const char* full_filename, const char* base_filename,
                    int line, const LogMessageTime& time, const char* message,
                    std::size_t message_len) = 0;
  virtual void WaitTillSent() {}
  /// As a line of glog's files, without its end.
  static std::string ToString(LogSeverity severity, const char* file, int line,
                              const LogMessageTime& time, const char* message,
                              std::size_t message_len);
};

}  // namespace google

namespace ringside::detail::glog {

struct Sinks {
  std::shared_mutex mutex;
  std::vector<google::LogSink*> all;
};
// Never destroyed: destructors of static objects may log.
inline Sinks& sinks() {
  static Sinks& instance = *new Sinks;
  return instance;
}
inline std::atomic<bool> has_sinks{false};

inline const char* base_name(const char* file) {
  const std::string_view path = file;
  return file + (path.rfind('/') + 1);
}

inline void send_to(google::LogSink& sink, google::LogSeverity severity, const char* file, int line,
                    std::string_view text) {
  sink.send(severity, file, base_name(file), line, google::LogMessageTime(), text.data(),
            text.size());
}
[[gnu::cold]] inline void send_to_all(google::LogSeverity severity, const char* file, int line,
                                      std::string_view text) {
  const std::shared_lock lock(sinks().mutex);
  for (google::LogSink* const each : sinks().all) send_to(*each, severity, file, line, text);
  for (google::LogSink* const each : sinks().all) each->WaitTillSent();
}

constexpr google::LogSeverity severity_of(std::uint8_t level) {
  switch (level) {
    case RS_LEVEL_CRITICAL:
      return google::GLOG_FATAL;
    case RS_LEVEL_ERROR:
      return google::GLOG_ERROR;
    case RS_LEVEL_WARNING:
      return google::GLOG_WARNING;
    default:
      return google::GLOG_INFO;
  }
}

// The bits of a wide integer in decimal.
inline void write_wide(std::ostream& out, UInt128 bits, bool is_negative) {
  std::string digits;
  for (UInt128 rest = is_negative ? -bits : bits; rest != 0 || digits.empty(); rest /= 10) {
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
  }
  if (is_negative) digits += '-';
  out << std::string(digits.rbegin(), digits.rend());
}

constexpr bool is_signed_field(shm::FieldType type) {
  return type == shm::FieldType::i8 || type == shm::FieldType::i16 || type == shm::FieldType::i32 ||
         type == shm::FieldType::i64 || type == shm::FieldType::enumeration;
}

// The operands of a statement as a stream writes them. Values are passed as unsigned numbers.
inline void write(std::ostream& out, const StreamText& text) {
  out.write(text.text, static_cast<std::streamsize>(strnlen(text.text, text.bytes)));
}
template <std::uint8_t kType, class Passed, rs_stream_operand kHow>
void write(std::ostream& out, const StreamField<kType, Passed, kHow>& field) {
  constexpr shm::FieldType kField = field_type(kType);
  if constexpr (kField == shm::FieldType::string) {
    const auto stored = Stored<Passed>(field.value);
    const rs_piece piece = stored.piece();
    if (kHow == RS_STREAM_PATH) out << '"';
    out.write(static_cast<const char*>(piece.data), static_cast<std::streamsize>(piece.bytes));
    if (kHow == RS_STREAM_PATH) out << '"';
  } else if constexpr (kField == shm::FieldType::character) {
    out << static_cast<char>(field.value);
  } else if constexpr (kField == shm::FieldType::boolean) {
    out << static_cast<bool>(field.value);
  } else if constexpr (kField == shm::FieldType::pointer) {
    out << const_cast<const void*>(field.value);
  } else if constexpr (kField == shm::FieldType::i128) {
    write_wide(out, field.value, static_cast<Int128>(field.value) < 0);
  } else if constexpr (kField == shm::FieldType::u128) {
    write_wide(out, field.value, false);
  } else if constexpr (is_signed_field(kField)) {
    out << static_cast<std::make_signed_t<Passed>>(field.value);
  } else {
    out << field.value;
  }
}

template <class... Operands>
struct SinkCall {
  [[gnu::cold, gnu::noinline]] static void send(const rs_site* site, Operands... operands) {
    std::ostringstream text;
    (write(text, operands), ...);
    send_to_all(severity_of(site->level), site->file, static_cast<int>(site->line), text.str());
  }
};

}  // namespace ringside::detail::glog

namespace google {

inline std::string LogSink::ToString(LogSeverity severity, const char* file, int line,
                                     const LogMessageTime& time, const char* message,
                                     std::size_t message_len) {
  char prefix[64];
  const int size =
      std::snprintf(prefix, sizeof prefix, "%c%04d%02d%02d %02d:%02d:%02d.%06ld ",
                    *GetLogSeverityName(severity), 1900 + time.year(), 1 + time.month(), time.day(),
                    time.hour(), time.min(), time.sec(), time.usec());
  std::string text(prefix, static_cast<std::size_t>(size));
  text.append(file).append(":").append(std::to_string(line)).append("] ");
  return text.append(message, message_len);
}

/// Thread-safe. Statements cost their text while there is a sink.
inline void AddLogSink(LogSink* destination) {
  auto& sinks = ringside::detail::glog::sinks();
  const std::unique_lock lock(sinks.mutex);
  sinks.all.push_back(destination);
  ringside::detail::glog::has_sinks.store(true);
}
inline void RemoveLogSink(LogSink* destination) {
  auto& sinks = ringside::detail::glog::sinks();
  const std::unique_lock lock(sinks.mutex);
  const auto it = std::find(sinks.all.begin(), sinks.all.end(), destination);
  if (it != sinks.all.end()) sinks.all.erase(it);
  ringside::detail::glog::has_sinks.store(!sinks.all.empty());
}

}  // namespace google
