#pragma once
// The sinks of spdlog: those that write to the service's own code, and stand-ins for all others,
// because consumerd writes the trace file.

#include <ostream>

#include "sink.hpp"

namespace spdlog {

/// Called when spdlog opens or closes a file. Nothing here calls it.
struct file_event_handlers {
  std::function<void(const filename_t&)> before_open;
  std::function<void(const filename_t&, std::FILE*)> after_open;
  std::function<void(const filename_t&, std::FILE*)> before_close;
  std::function<void(const filename_t&)> after_close;
};

using custom_log_callback = std::function<void(const details::log_msg& message)>;

namespace sinks {

/// Calls a function for each message.
template <class Mutex>
class callback_sink : public base_sink<Mutex> {
 public:
  explicit callback_sink(custom_log_callback function) : function_(std::move(function)) {}

 protected:
  void sink_it_(const details::log_msg& message) override { function_(message); }
  void flush_() override {}

 private:
  custom_log_callback function_;
};
using callback_sink_mt = callback_sink<std::mutex>;
using callback_sink_st = callback_sink<details::null_mutex>;

/// Writes each message to a stream.
template <class Mutex>
class ostream_sink : public base_sink<Mutex> {
 public:
  explicit ostream_sink(std::ostream& out, bool flushes = false) : out_(out), flushes_(flushes) {}

 protected:
  void sink_it_(const details::log_msg& message) override {
    memory_buf_t text;
    base_sink<Mutex>::formatter_->format(message, text);
    out_.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (flushes_) out_.flush();
  }
  void flush_() override { out_.flush(); }

 private:
  std::ostream& out_;
  bool flushes_;
};
using ostream_sink_mt = ostream_sink<std::mutex>;
using ostream_sink_st = ostream_sink<details::null_mutex>;

/// A sink that is never called.
class stand_in : public sink {
 public:
  template <class... Arguments>
  explicit stand_in(const Arguments&... /*arguments*/) {
    if constexpr (sizeof...(Arguments) > 0) compat::report_sink();
  }
  void log(const details::log_msg& /*message*/) override {}
  void flush() override {}
  void set_pattern(const std::string& /*pattern*/) override { compat::report_pattern(); }
  void set_formatter(std::unique_ptr<formatter> /*formatter*/) override {
    compat::report_pattern();
  }
  bool is_called() const override { return false; }
};

struct tcp_sink_config {
  tcp_sink_config(std::string host, int port) : server_host(std::move(host)), server_port(port) {}
  std::string server_host;
  int server_port;
  bool lazy_connect = false;
};
struct udp_sink_config {
  udp_sink_config(std::string host, std::uint16_t port)
      : server_host(std::move(host)), server_port(port) {}
  std::string server_host;
  std::uint16_t server_port;
};

#define RS_SPDLOG_SINK_(name_)         \
  class name_##_mt : public stand_in { \
   public:                             \
    using stand_in::stand_in;          \
  };                                   \
  class name_##_st : public stand_in { \
   public:                             \
    using stand_in::stand_in;          \
  };
RS_SPDLOG_SINK_(stdout_sink)
RS_SPDLOG_SINK_(stderr_sink)
RS_SPDLOG_SINK_(stdout_color_sink)
RS_SPDLOG_SINK_(stderr_color_sink)
RS_SPDLOG_SINK_(basic_file_sink)
RS_SPDLOG_SINK_(rotating_file_sink)
RS_SPDLOG_SINK_(daily_file_sink)
RS_SPDLOG_SINK_(hourly_file_sink)
RS_SPDLOG_SINK_(syslog_sink)
RS_SPDLOG_SINK_(udp_sink)
RS_SPDLOG_SINK_(null_sink)
RS_SPDLOG_SINK_(tcp_sink)
RS_SPDLOG_SINK_(systemd_sink)
RS_SPDLOG_SINK_(ansicolor_stdout_sink)
RS_SPDLOG_SINK_(ansicolor_stderr_sink)
#undef RS_SPDLOG_SINK_

}  // namespace sinks

}  // namespace spdlog
