#pragma once
// How much of a segment's trace is in a text file.

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "shm-layout/loss_cause.hpp"

namespace ringside::consumer {

struct SegmentPosition {
  std::array<std::uint8_t, 16> uuid{};
  std::string stem;                  // of its trace files (files/trace_name.hpp)
  std::uint32_t file_sequence = 0;   // of the present section's file
  std::uint64_t section_offset = 0;  // where the section begins in it
  // Of the section, in the order in which a reader delivers them: records, and losses that the
  // trace reports.
  std::uint64_t events = 0;
  // After these: losses that only the sequence numbers show. Counted apart, because one between two
  // sections is found only if both are read.
  std::uint64_t gaps = 0;
  // Losses without a stream that earlier sections report, by cause.
  std::map<shm::LossCause, std::uint64_t> stray_losses;
  bool over = false;  // the service has ended, and everything is written
};

}  // namespace ringside::consumer
