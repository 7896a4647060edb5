#pragma once
// Text of any length that is written out later than it is made.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "tools/files/output_file.hpp"
#include "tools/interop/output_bytes.hpp"

namespace ringside::tool {

// Keeps up to 1 MiB in memory, then uses an unnamed file in $TMPDIR or /tmp. Not thread-safe.
class SpilledText {
 public:
  void put(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kMostBytes) spill();
  }
  bool empty() const { return buffer_.empty() && file_ == nullptr; }

  // Moves all of it, once. Any earlier failure shows in OutputBytes::failure().
  void move_to(OutputBytes& output);

 private:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;

  void spill();

  std::string buffer_;
  std::unique_ptr<OutputFile> file_;
  std::string failure_;
};

}  // namespace ringside::tool
