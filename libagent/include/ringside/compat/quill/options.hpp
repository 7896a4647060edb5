#pragma once
// quill's options and sinks as stand-ins: consumerd writes the trace file, whatever is set here.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>  // sources expect it
#include <vector>

#include <ringside/ringside.hpp>

namespace quill {

/// Never thrown here: for sources that catch it.
class QuillError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class LogLevel : std::uint8_t {
  TraceL3,
  TraceL2,
  TraceL1,
  Debug,
  Info,
  Notice,
  Warning,
  Error,
  Critical,
  Backtrace,
  None
};
enum class Timezone : std::uint8_t { LocalTime, GmtTime };
enum class ClockSourceType : std::uint8_t { Tsc, System, User };
enum class QueueType { UnboundedBlocking, UnboundedDropping, BoundedBlocking, BoundedDropping };
enum class FilenameAppendOption : std::uint8_t {
  None,
  StartDate,
  StartDateTime,
  StartCustomTimestampFormat
};

namespace compat {

inline void report_sink() {
  static std::uint8_t is_reported = 0;
  rs_report_once(&is_reported,
                 "quill: sinks, patterns and clocks have no effect: consumerd writes all records "
                 "to its trace file; ringcat filters and prints them");
}
inline void report_backtrace() {
  static std::uint8_t is_reported = 0;
  rs_report_once(&is_reported,
                 "quill: init_backtrace has no effect: LOG_BACKTRACE records at level trace; set "
                 "RINGSIDE_OVERFLOW=overwrite for a flight recorder");
}
inline void report_mdc() {
  static std::uint8_t is_reported = 0;
  rs_report_once(&is_reported,
                 "quill: set_mdc has no effect: pass the values as arguments of the statements");
}

}  // namespace compat

struct BackendOptions {
  std::string thread_name = "QuillBackend";
  bool enable_yield_when_idle = false;
  std::chrono::nanoseconds sleep_duration = std::chrono::microseconds(100);
  std::uint32_t transit_event_buffer_initial_capacity = 256;
  std::size_t transit_events_soft_limit = 8192;
  std::size_t transit_events_hard_limit = 65536;
  std::chrono::microseconds log_timestamp_ordering_grace_period = std::chrono::microseconds(5);
  bool wait_for_queues_to_empty_before_exit = true;
  std::uint16_t cpu_affinity = (std::numeric_limits<std::uint16_t>::max)();
  std::function<void(const std::string&)> error_notifier;
  bool check_printable_char = true;
};
struct SignalHandlerOptions {
  std::vector<int> catchable_signals;
  std::uint32_t timeout_seconds = 20;
  std::string logger_name;
};
struct FrontendOptions {
  static constexpr QueueType queue_type = QueueType::UnboundedBlocking;
};
struct PatternFormatterOptions {
  PatternFormatterOptions() = default;
  PatternFormatterOptions(std::string format, std::string timestamp = "%H:%M:%S.%Qns",
                          Timezone zone = Timezone::LocalTime, bool metadata = true)
      : format_pattern(std::move(format)),
        timestamp_pattern(std::move(timestamp)),
        timestamp_timezone(zone),
        add_metadata_to_multi_line_logs(metadata) {}
  std::string format_pattern;
  std::string timestamp_pattern;
  std::string source_location_path_strip_prefix;
  Timezone timestamp_timezone = Timezone::LocalTime;
  bool add_metadata_to_multi_line_logs = true;
};
using FileEventNotifierHandle = std::FILE*;
/// Called when quill opens or closes a file. Nothing here calls it.
struct FileEventNotifier {
  std::function<void(const std::filesystem::path&)> before_open;
  std::function<void(const std::filesystem::path&, std::FILE*)> after_open;
  std::function<void(const std::filesystem::path&, std::FILE*)> before_close;
  std::function<void(const std::filesystem::path&)> after_close;
  std::function<std::string(std::string_view)> before_write;
};
namespace fs = std::filesystem;

// Every setter has no effect.
class SinkConfig {
 public:
  enum class ColourMode : std::uint8_t { Always, Automatic, Never };
  // Colours on a terminal.
  class Colours {
   public:
    void apply_default_colours() {}
    void assign_colour_to_log_level(LogLevel /*level*/, std::string_view /*colour*/) {
      compat::report_sink();
    }
    static constexpr std::string_view black{}, red{}, green{}, yellow{}, blue{}, magenta{}, cyan{},
        white{}, black_bold{}, red_bold{}, green_bold{}, yellow_bold{}, blue_bold{}, magenta_bold{},
        cyan_bold{}, white_bold{};
  };
#define RS_QUILL_SETTER_(name_)                   \
  template <class... Arguments>                   \
  void name_(const Arguments&... /*arguments*/) { \
    compat::report_sink();                        \
  }
  RS_QUILL_SETTER_(set_open_mode)
  RS_QUILL_SETTER_(set_filename_append_option)
  RS_QUILL_SETTER_(set_timezone)
  RS_QUILL_SETTER_(set_fsync_enabled)
  RS_QUILL_SETTER_(set_write_buffer_size)
  RS_QUILL_SETTER_(set_rotation_time_daily)
  RS_QUILL_SETTER_(set_rotation_frequency_and_interval)
  RS_QUILL_SETTER_(set_rotation_max_file_size)
  RS_QUILL_SETTER_(set_max_backup_files)
  RS_QUILL_SETTER_(set_overwrite_rolled_files)
  RS_QUILL_SETTER_(set_rotation_naming_scheme)
  RS_QUILL_SETTER_(set_colour_mode)
  RS_QUILL_SETTER_(set_colours)
  RS_QUILL_SETTER_(set_stream)
  RS_QUILL_SETTER_(set_override_pattern_formatter_options)
#undef RS_QUILL_SETTER_
};
using FileSinkConfig = SinkConfig;
using RotatingFileSinkConfig = SinkConfig;
using ConsoleSinkConfig = SinkConfig;

// A sink that is never called.
class Sink {
 public:
  virtual ~Sink() = default;
  void set_log_level_filter(LogLevel /*level*/) { compat::report_sink(); }
};
#define RS_QUILL_SINK_(name_)                            \
  class name_ : public Sink {                            \
   public:                                               \
    template <class... Arguments>                        \
    explicit name_(const Arguments&... /*arguments*/) {} \
  };
RS_QUILL_SINK_(ConsoleSink)
RS_QUILL_SINK_(FileSink)
RS_QUILL_SINK_(RotatingFileSink)
RS_QUILL_SINK_(JsonConsoleSink)
RS_QUILL_SINK_(JsonFileSink)
RS_QUILL_SINK_(RotatingJsonFileSink)
RS_QUILL_SINK_(NullSink)
#undef RS_QUILL_SINK_

}  // namespace quill
