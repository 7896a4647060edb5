/* The name of spdlog's header, for sources that stay unchanged. */
#pragma once
// A sink that keeps the last messages in memory.

#include <deque>

#include <ringside/compat/spdlog.hpp>

namespace spdlog::sinks {

template <class Mutex>
class ringbuffer_sink : public base_sink<Mutex> {
 public:
  explicit ringbuffer_sink(std::size_t messages) : capacity_(messages) {}
  /// The texts of the last messages, oldest first; all that are kept if `limit` is 0.
  std::vector<std::string> last_formatted(std::size_t limit = 0) {
    const std::lock_guard<Mutex> lock(this->mutex_);
    const std::size_t count = limit == 0 ? kept_.size() : std::min(limit, kept_.size());
    return {kept_.end() - static_cast<std::ptrdiff_t>(count), kept_.end()};
  }

 protected:
  void sink_it_(const details::log_msg& message) override {
    if (capacity_ == 0) return;
    memory_buf_t text;
    this->formatter_->format(message, text);
    if (kept_.size() == capacity_) kept_.pop_front();
    kept_.emplace_back(text.data(), text.size());
  }
  void flush_() override {}

 private:
  std::size_t capacity_;
  std::deque<std::string> kept_;
};
using ringbuffer_sink_mt = ringbuffer_sink<std::mutex>;
using ringbuffer_sink_st = ringbuffer_sink<details::null_mutex>;

}  // namespace spdlog::sinks
