/* The name of spdlog's header, for sources that stay unchanged. */
#pragma once
// A sink that gives its messages to others. The service formats every message for it.

#include <algorithm>

#include <ringside/compat/spdlog.hpp>

namespace spdlog::sinks {

template <class Mutex>
class dist_sink : public base_sink<Mutex> {
 public:
  dist_sink() = default;
  explicit dist_sink(std::vector<sink_ptr> given) : sinks_(std::move(given)) {}
  void add_sink(sink_ptr added) {
    const std::lock_guard<Mutex> lock(this->mutex_);
    sinks_.push_back(std::move(added));
  }
  void remove_sink(const sink_ptr& removed) {
    const std::lock_guard<Mutex> lock(this->mutex_);
    sinks_.erase(std::remove(sinks_.begin(), sinks_.end(), removed), sinks_.end());
  }
  void set_sinks(std::vector<sink_ptr> given) {
    const std::lock_guard<Mutex> lock(this->mutex_);
    sinks_ = std::move(given);
  }
  std::vector<sink_ptr>& sinks() { return sinks_; }

 protected:
  void sink_it_(const details::log_msg& message) override {
    for (const sink_ptr& each : sinks_) {
      if (each->should_log(message.level)) each->log(message);
    }
  }
  void flush_() override {
    for (const sink_ptr& each : sinks_) each->flush();
  }
  void set_pattern_(const std::string& pattern) override {
    for (const sink_ptr& each : sinks_) each->set_pattern(pattern);
  }
  void set_formatter_(std::unique_ptr<formatter> formatter) override {
    for (const sink_ptr& each : sinks_) each->set_formatter(formatter->clone());
  }

  std::vector<sink_ptr> sinks_;
};
using dist_sink_mt = dist_sink<std::mutex>;
using dist_sink_st = dist_sink<details::null_mutex>;

}  // namespace spdlog::sinks
