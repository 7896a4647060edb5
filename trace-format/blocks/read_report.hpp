// Errors and oddities found while trace files were read. Nothing here stops the reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trace-format/blocks/host_clocks.hpp"
#include "trace-format/blocks/service_call_costs.hpp"

namespace ringside::trace {

struct ReadError {
  std::string file;
  std::uint64_t offset = 0;
  std::string what;
  std::string remedy;

  std::string text() const;  // "file:offset: what; remedy", without an offset of 0
};

struct ReadReport {
  static constexpr std::size_t kMaxNotes = 100;

  std::uint64_t files = 0;
  std::uint64_t sections = 0;
  std::uint64_t sections_without_end = 0;  // normal for a growing file or a killed writer
  // The counters below do not cover sections outside the wanted time, nor the parts of a section
  // that sequence points show to be outside. They count records and losses that are wanted.
  std::uint64_t extents = 0;
  std::uint64_t extents_decoded = 0;        // the others hold nothing that is wanted
  std::uint64_t extents_decoded_ahead = 0;  // part of these: decoded by other threads
  std::uint64_t records = 0;
  std::uint64_t dropped_records = 0;       // reported by extents and LOSSES blocks
  std::uint64_t missing_records = 0;       // unreported gaps in sequence numbers
  std::uint64_t not_selected_records = 0;  // left out by a shipper's selection
  std::uint64_t late_records = 0;          // delivered after newer ones
  std::uint64_t skipped_blocks = 0;        // of unknown type
  std::uint64_t damaged_blocks = 0;
  std::uint64_t damaged_bytes = 0;
  // of an incomplete last block, or zeros at the end of the file
  std::uint64_t unfinished_bytes = 0;
  std::uint64_t damaged_frames = 0;     // of packed files
  std::uint64_t bytes_read = 0;         // fetched from files, in stored form
  std::uint64_t peak_open_extents = 0;  // the most that were decoded in parallel at one time
  HostClocks host_clocks;               // by the CLOCK blocks of all sections
  ServiceCallCosts call_costs;          // by the CALL_COSTS blocks that were read
  std::vector<ReadError> notes;         // the first kMaxNotes
  std::uint64_t further_notes = 0;

  void note(ReadError error);
  bool note_once(ReadError error);  // false if the same error is already noted
};

}  // namespace ringside::trace
