#include "consumerd/log/log_once.hpp"

namespace ringside::consumer {

bool LogOnce::is_first(const std::string& what) {
  const auto now = std::chrono::steady_clock::now();
  if (is_full()) {
    if (now - since_ < std::chrono::minutes(1)) return false;
    logged_.clear();
  }
  if (logged_.empty()) since_ = now;
  return logged_.insert(what).second;
}

}  // namespace ringside::consumer
