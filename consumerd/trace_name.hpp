#pragma once
// Names of trace files: <service>.<pid>.<start time>.<sequence>.ringtrace, packed with .zst behind.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shm-layout/segment_header.hpp"

namespace ringside::consumer {

struct TraceName {
  // <service>.<pid>.<start time>. with its last point: what the files of one segment have in
  // common. Segments of different containers may share it.
  std::string stem;
  std::uint32_t sequence = 0;
  bool packed = false;

  std::string_view service() const { return std::string_view(stem).substr(0, stem.find('.')); }
  std::string text() const;

  // Of a name without directory; nothing if consumerd does not give such names.
  static std::optional<TraceName> parse(std::string_view name);
};

// What a file is called until it may have its name; no reader looks at such files.
std::string unfinished_name(const std::string& name);

// The name that it is to have; nothing if that is none which consumerd gives.
std::optional<TraceName> parse_unfinished_name(std::string_view name);

std::string trace_stem(const std::string& segment_name, const shm::SegmentHeader& header);

}  // namespace ringside::consumer
