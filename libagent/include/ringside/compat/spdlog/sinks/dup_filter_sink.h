/* The name of spdlog's header, for sources that stay unchanged. */
#pragma once
// A sink that drops repeated messages before they reach its own sinks. The trace has all messages.

#include "dist_sink.h"

namespace spdlog::sinks {

template <class Mutex>
class dup_filter_sink : public dist_sink<Mutex> {
 public:
  template <class Rep, class Period>
  explicit dup_filter_sink(std::chrono::duration<Rep, Period> longest,
                           level::level_enum notification = level::info)
      : longest_(std::chrono::duration_cast<std::chrono::microseconds>(longest)),
        notification_(notification) {
    static std::uint8_t is_reported = 0;
    rs_report_once(&is_reported,
                   "spdlog: dup_filter_sink drops messages for its own sinks alone; limit the "
                   "statements with RS_EVERY_MS");
  }

 protected:
  void sink_it_(const details::log_msg& message) override {
    const std::string_view text(message.payload.data(), message.payload.size());
    if (text == last_text_ && message.time - last_time_ <= longest_) {
      ++skipped_;
      return;
    }
    if (skipped_ > 0) {
      const std::string note = fmt::format("Skipped {} duplicate messages..", skipped_);
      details::log_msg skipped = message;
      skipped.level = notification_;
      skipped.payload = note;
      dist_sink<Mutex>::sink_it_(skipped);
    }
    dist_sink<Mutex>::sink_it_(message);
    last_text_ = text;
    last_time_ = message.time;
    skipped_ = 0;
  }

 private:
  std::chrono::microseconds longest_;
  level::level_enum notification_;
  std::string last_text_;
  log_clock::time_point last_time_;
  std::size_t skipped_ = 0;
};
using dup_filter_sink_mt = dup_filter_sink<std::mutex>;
using dup_filter_sink_st = dup_filter_sink<details::null_mutex>;

}  // namespace spdlog::sinks
