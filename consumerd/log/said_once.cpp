#include "consumerd/log/said_once.hpp"

namespace ringside::consumer {

bool SaidOnce::is_first(const std::string& what) {
  const auto now = std::chrono::steady_clock::now();
  if (is_full()) {
    if (now - since_ < std::chrono::minutes(1)) return false;
    said_.clear();
  }
  if (said_.empty()) since_ = now;
  return said_.insert(what).second;
}

}  // namespace ringside::consumer
