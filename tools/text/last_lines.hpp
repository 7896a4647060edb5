#pragma once
// Keeps the last lines of an output.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::tool {

// Memory is bounded by the kept lines. Not thread-safe.
class LastLines {
 public:
  explicit LastLines(std::size_t most) : most_(most) {}

  void add(std::string_view line);
  // Whether as many lines as wanted were added.
  bool is_full() const { return lines_.size() >= most_; }

  // Passes the lines to `write` in order and discards them. Stops and returns false when `write`
  // returns false.
  bool write(const std::function<bool(std::string_view)>& write);

 private:
  std::size_t most_;
  std::size_t oldest_ = 0;  // position in lines_ once there are most_ lines
  std::vector<std::string> lines_;
};

}  // namespace ringside::tool
