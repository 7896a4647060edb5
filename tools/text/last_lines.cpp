#include "tools/text/last_lines.hpp"

namespace ringside::tool {

void LastLines::add(std::string_view line) {
  if (lines_.size() < most_) {
    lines_.emplace_back(line);
  } else if (most_ > 0) {
    lines_[oldest_].assign(line);
    oldest_ = (oldest_ + 1) % most_;
  }
}

bool LastLines::write(const std::function<bool(std::string_view)>& write) {
  std::string all;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    all += lines_[(oldest_ + i) % lines_.size()];
  }
  lines_.clear();
  oldest_ = 0;
  return write(all);
}

}  // namespace ringside::tool
