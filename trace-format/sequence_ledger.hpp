// Which sequence numbers of a segment's streams were seen, across the sections that hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace-format/counted_losses.hpp"

namespace ringside::trace {

// Sequence numbers that nobody told of.
struct SequenceGap {
  std::uint64_t tsc = 0;  // of what comes behind
  std::uint64_t stream_id = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;  // 0: there is no gap
};

// Sections are numbered in the order in which they were written, but may be read side by side.
// What a stream's first section begins with counts as complete: what was in front is not known.
class SequenceLedger {
 public:
  std::size_t add_section();

  // Of the segment, whatever the section.
  CountedLosses& counted() { return counted_; }

  // The section is not read from its beginning: what was before it says nothing about it.
  void begin_inside(std::size_t section);

  // The stream's next record in the section has this number.
  SequenceGap expect(std::size_t section, std::uint64_t stream_id, std::uint64_t sequence,
                     std::uint64_t tsc);
  // The records up to this number were seen.
  void seen(std::size_t section, std::uint64_t stream_id, std::uint64_t next_sequence);

  // The section is read; `to_its_end`: as far as it goes. Returns the gaps in front of later
  // sections that show only now.
  std::vector<SequenceGap> close(std::size_t section, bool to_its_end);

 private:
  struct First {
    std::uint64_t sequence = 0;
    std::uint64_t tsc = 0;
  };
  struct Part {
    std::unordered_map<std::uint64_t, std::uint64_t> next;  // by stream
    std::unordered_map<std::uint64_t, First> unchecked;     // while sections before are still read
    bool closed = false;
    bool inside = false;
    bool to_its_end = false;
  };

  void settle(Part& part, std::vector<SequenceGap>& gaps);

  CountedLosses counted_;
  std::vector<Part> parts_;
  std::size_t settled_ = 0;                                 // so many are closed, and all before
  std::unordered_map<std::uint64_t, std::uint64_t> known_;  // what the settled ones end with
};

}  // namespace ringside::trace
