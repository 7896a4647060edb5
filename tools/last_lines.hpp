#pragma once
// The last lines of many.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::tool {

// Memory is bounded by the lines kept. Not thread-safe.
class LastLines {
 public:
  explicit LastLines(std::size_t most) : most_(most) {}

  void add(std::string_view line);

  // Hands out the lines in their order, then keeps none. False as soon as `write` is.
  bool write(const std::function<bool(std::string_view)>& write);

 private:
  std::size_t most_;
  std::size_t oldest_ = 0;  // in lines_ once there are most_
  std::vector<std::string> lines_;
};

}  // namespace ringside::tool
