// The losses of a section: those that its blocks report, and the gaps in its sequence numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace-format/reader/event_heap.hpp"
#include "trace-format/reader/event_key.hpp"
#include "trace-format/reader/open_section.hpp"
#include "trace-format/reader/sequence_ledger.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::trace {

// The cause that an EXTENT block states, which is not trusted.
LossCause stored_loss_cause(std::uint32_t stored);

// Finds them while the section is walked through, and keeps each until its turn.
class SectionLosses {
 public:
  SectionLosses(OpenSection& section, const SectionContext& context)
      : section_(section), ledger_(*context.ledger), place_(context.place) {}

  // The walk does not begin where the section begins.
  void begin_inside() { ledger_.begin_inside(place_); }
  // In the order of the file.
  void take_numbers(const ExtentHeader& header);
  // The losses that an extent reports itself.
  void take_dropped(const ExtentHeader& header);
  void take_losses(const Block& block);
  // A sequence point also shows extents that were lost and that no later one follows.
  void take_positions(const Block& block, std::uint64_t watermark);
  // The walk is over; `to_its_end`: of the section.
  void close(bool to_its_end);
  // The rest of the section is not wanted.
  void abandon() { ledger_.close(place_, false); }

  // Null if there is none.
  const EventKey* first() const { return queue_.empty() ? nullptr : &queue_.front().key; }
  // Takes the first one out of the queue. Its slot is valid until release().
  std::uint32_t take_first() { return queue_.pop().slot; }
  // Sets all but the time and the segment, which are the caller's.
  void get(std::uint32_t slot, Event& event);
  void release(std::uint32_t slot) { free_.push_back(slot); }

 private:
  struct Loss {
    SequenceGap gap;
    LossCause cause = LossCause::kUnknown;
    std::uint64_t since_tsc = 0;
    bool by_site = false;
    std::uint32_t site_id = 0;
  };
  struct Queued {
    EventKey key;
    std::uint32_t slot = 0;
  };

  void add_gap(const SequenceGap& gap);
  void add(const Loss& loss);

  OpenSection& section_;
  SequenceLedger& ledger_;
  const std::size_t place_;
  std::vector<Loss> losses_;
  std::vector<std::uint32_t> free_;
  EventHeap<Queued> queue_;
};

}  // namespace ringside::trace
