// The sequence numbers of a segment's streams that were seen, across the sections that hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace-format/reader/counted_losses.hpp"

namespace ringside::trace {

// Sequence numbers that no block reports.
struct SequenceGap {
  std::uint64_t tsc = 0;  // of the record after the gap
  std::uint64_t stream_id = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;  // 0: no gap
};

// Sections are numbered in the order in which they were written, but may be read in parallel.
// Records before the beginning of a stream's first section are unknown, not missing.
class SequenceLedger {
 public:
  std::size_t add_section();

  // For the whole segment, not per section.
  CountedLosses& counted() { return counted_; }

  // The section is not read from its beginning: the records before are unknown.
  void begin_inside(std::size_t section);

  // The stream's next record in the section has this number.
  SequenceGap expect(std::size_t section, std::uint64_t stream_id, std::uint64_t sequence,
                     std::uint64_t tsc);
  // The records up to this number were seen.
  void seen(std::size_t section, std::uint64_t stream_id, std::uint64_t next_sequence);

  // The section is read; `to_its_end`: completely. Returns the gaps before later sections that are
  // only known now.
  std::vector<SequenceGap> close(std::size_t section, bool to_its_end);

 private:
  struct First {
    std::uint64_t sequence = 0;
    std::uint64_t tsc = 0;
  };
  struct Part {
    std::unordered_map<std::uint64_t, std::uint64_t> next;  // by stream
    std::unordered_map<std::uint64_t, First> unchecked;  // while preceding sections are being read
    bool closed = false;
    bool inside = false;
    bool to_its_end = false;
  };

  void settle(Part& part, std::vector<SequenceGap>& gaps);

  CountedLosses counted_;
  std::vector<Part> parts_;
  std::size_t settled_ = 0;  // this many are closed, with all before them
  // the last numbers of the settled sections
  std::unordered_map<std::uint64_t, std::uint64_t> known_;
};

}  // namespace ringside::trace
