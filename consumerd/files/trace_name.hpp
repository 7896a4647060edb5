#pragma once
// Names of trace files: <service>.<pid>.<start time>.<sequence>.ringtrace, followed by .zst if
// packed.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shm-layout/segment_header.hpp"

namespace ringside::consumer {

struct TraceName {
  // <service>.<pid>.<start time>. with the last point: common to the files of one segment. Segments
  // of different containers may share it.
  std::string stem;
  std::uint32_t sequence = 0;
  bool packed = false;

  std::string_view service() const { return std::string_view(stem).substr(0, stem.find('.')); }
  std::string text() const;

  // Parses a name without directory; nothing if it does not have consumerd's form.
  static std::optional<TraceName> parse(std::string_view name);
};

// The name of a file until it is complete; readers ignore such files.
std::string unfinished_name(const std::string& name);

// The final name; nothing if it does not have consumerd's form.
std::optional<TraceName> parse_unfinished_name(std::string_view name);

std::string trace_stem(const std::string& segment_name, const shm::SegmentHeader& header);

}  // namespace ringside::consumer
