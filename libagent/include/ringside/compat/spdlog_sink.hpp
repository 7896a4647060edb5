#pragma once
/// @file
/// A sink for services that keep spdlog: every message becomes a record of Ringside.
///
///     auto sink = std::make_shared<ringside::spdlog_sink_mt>();
///     spdlog::set_default_logger(std::make_shared<spdlog::logger>("orders", sink));
///
/// The record has the message as field `text`, the level, the name of the logger as category, and
/// the place of the statement, if spdlog knows it (the SPDLOG_ macros). `ringctl` switches the
/// statements one by one, as all others. spdlog formats the message before: a call costs what it
/// costs with spdlog's own sinks, without their locks and files. Needs spdlog.

#include <memory>
#include <string>
#include <string_view>

#include <ringside/text.hpp>
#include <spdlog/details/log_msg.h>
#include <spdlog/sinks/sink.h>

namespace ringside {

/// The sink.
///
/// @par Thread safety
/// Can be used by any number of loggers and threads at once, without a lock.
class SpdlogSink final : public spdlog::sinks::sink {
 public:
  /// Records the message.
  void log(const spdlog::details::log_msg& message) override {
    const rs_text_place place = {message.source.filename,
                                 message.source.funcname,
                                 message.logger_name.data(),
                                 static_cast<std::uint32_t>(message.logger_name.size()),
                                 static_cast<std::uint32_t>(message.source.line),
                                 level_of(message.level)};
    std::uint8_t state = 0;
    if (rs_site* const site = detail::enabled_text_site(place, &state)) {
      detail::record_text(site, state, {message.payload.data(), message.payload.size()});
    }
  }

  /// Does nothing: the record survives the process. ringside::flush() waits for the trace file.
  void flush() override {}

  /// Does nothing: the tools choose what they print.
  void set_pattern(const std::string& /*pattern*/) override {}

  /// Does nothing: the tools choose what they print.
  void set_formatter(std::unique_ptr<spdlog::formatter> /*formatter*/) override {}

 private:
  static constexpr std::uint8_t level_of(spdlog::level::level_enum level) {
    switch (level) {
      case spdlog::level::trace:
        return RS_LEVEL_TRACE;
      case spdlog::level::debug:
        return RS_LEVEL_DEBUG;
      case spdlog::level::info:
        return RS_LEVEL_INFO;
      case spdlog::level::warn:
        return RS_LEVEL_WARNING;
      case spdlog::level::err:
        return RS_LEVEL_ERROR;
      default:
        return RS_LEVEL_CRITICAL;
    }
  }
};

/// For loggers of many threads, as spdlog names it.
using spdlog_sink_mt = SpdlogSink;
/// For loggers of one thread, as spdlog names it. It costs the same.
using spdlog_sink_st = SpdlogSink;

}  // namespace ringside
