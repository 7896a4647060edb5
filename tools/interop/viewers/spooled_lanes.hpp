#pragma once
// Text of many lanes, of any length, that grows concurrently and is written out lane after lane.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/files/output_file.hpp"
#include "tools/interop/output_bytes.hpp"

namespace ringside::tool {

// Keeps up to 32 MiB of all lanes in memory, then uses one unnamed file in $TMPDIR or /tmp. Not
// thread-safe.
class SpooledLanes {
 public:
  // Lanes are numbered from 0.
  void put(std::size_t lane, std::string_view text) {
    if (lane >= lanes_.size()) lanes_.resize(lane + 1);
    lanes_[lane].text += text;
    held_ += text.size();
    if (held_ >= kMostBytes) spill();
  }

  // Writes the lane's text; call after the last put(). False, with the failure in `output`, if the
  // text is lost.
  bool move_to(std::size_t lane, OutputBytes& output);

 private:
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;
  struct Piece {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };
  struct Lane {
    std::string text;
    std::vector<Piece> pieces;  // earlier text, in the file
  };

  void spill();

  std::deque<Lane> lanes_;
  std::size_t held_ = 0;
  std::unique_ptr<OutputFile> file_;
  std::string path_;
  std::string failure_;
};

}  // namespace ringside::tool
