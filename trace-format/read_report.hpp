// What went wrong or was odd while trace files were read. Nothing here stops the reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ringside::trace {

struct ReadError {
  std::string file;
  std::uint64_t offset = 0;
  std::string what;
  std::string remedy;

  std::string text() const;  // "file:offset: what; remedy"
};

struct ReadReport {
  static constexpr std::size_t kMaxNotes = 100;

  std::uint64_t files = 0;
  std::uint64_t sections = 0;
  std::uint64_t sections_without_end = 0;  // normal for a file that still grows or a killed writer
  // Of sections outside the wanted time, and of the part of a section that sequence points show to
  // lie outside, nothing below is known; records and losses count if they are wanted.
  std::uint64_t extents = 0;
  std::uint64_t extents_decoded = 0;        // the others hold nothing that is wanted
  std::uint64_t extents_decoded_ahead = 0;  // of these, by further threads
  std::uint64_t records = 0;
  std::uint64_t dropped_records = 0;  // told by extents and LOSSES blocks
  std::uint64_t missing_records = 0;  // gaps in sequence numbers that nobody told of
  std::uint64_t late_records = 0;     // delivered behind younger ones
  std::uint64_t skipped_blocks = 0;   // of unknown type
  std::uint64_t damaged_blocks = 0;
  std::uint64_t damaged_bytes = 0;
  std::uint64_t unfinished_bytes = 0;  // of a last block that the file ends in, or zeros at its end
  std::uint64_t damaged_frames = 0;    // of packed files
  std::uint64_t bytes_read = 0;        // fetched from files, as they are stored
  std::uint64_t peak_open_extents = 0;  // decoded side by side at any one time
  std::vector<ReadError> notes;         // the first kMaxNotes
  std::uint64_t further_notes = 0;

  void note(ReadError error);
  bool note_once(ReadError error);  // false if the same is noted already
};

}  // namespace ringside::trace
