// Where the end of a set of sections begins.
#pragma once

#include <cstdint>
#include <vector>

#include "trace-format/reader/section_scan.hpp"

namespace ringside::trace {

// Collects the pieces between the sequence points of all sections, to find the time after which
// about a number of bytes follow.
class TraceEnd {
 public:
  void add(const SectionScan& section);

  // No event before this Unix time is in the last `bytes` bytes, as far as sequence points divide
  // them. 0: nothing can be left out.
  std::uint64_t begin_ns(std::uint64_t bytes);

 private:
  // Bytes of a section after a sequence point, up to its next one.
  struct Piece {
    std::uint64_t max_ns_before = 0;  // no record before the piece is newer
    std::uint64_t bytes = 0;
  };

  std::vector<Piece> pieces_;
  bool rises_ = true;  // the clocks of all sections
};

}  // namespace ringside::trace
