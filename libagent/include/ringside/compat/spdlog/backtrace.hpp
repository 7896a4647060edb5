#pragma once
// The last messages of a logger, for dump_backtrace.

#include <atomic>
#include <deque>
#include <mutex>

#include "level_and_format.hpp"

namespace spdlog::compat {

/// A message that is not recorded yet.
struct HeldMessage {
  source_loc place;
  level::level_enum level = level::info;
  std::string text;
};

/// Thread-safe. It costs one load while it is off.
class Backtrace {
 public:
  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }
  std::size_t capacity() const {
    const std::lock_guard lock(mutex_);
    return capacity_;
  }
  void enable(std::size_t messages) {
    const std::lock_guard lock(mutex_);
    capacity_ = messages;
    held_.clear();
    is_on_.store(messages > 0, std::memory_order_relaxed);
  }
  void disable() { is_on_.store(false, std::memory_order_relaxed); }
  void hold(source_loc place, level::level_enum level, string_view_t text) {
    const std::lock_guard lock(mutex_);
    if (capacity_ == 0) return;
    if (held_.size() == capacity_) held_.pop_front();
    held_.push_back({place, level, std::string(text.data(), text.size())});
  }
  /// The messages, oldest first; then there are none.
  std::deque<HeldMessage> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(held_, {});
  }

 private:
  std::atomic<bool> is_on_{false};
  mutable std::mutex mutex_;
  std::size_t capacity_ = 0;
  std::deque<HeldMessage> held_;
};

}  // namespace spdlog::compat
