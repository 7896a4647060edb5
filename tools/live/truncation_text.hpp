#pragma once
// The message about a segment whose file has become shorter than its layout.

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace ringside::tool {

inline std::string truncation_text(const std::string& path, std::uint64_t bytes_left,
                                   std::uint64_t segment_bytes) {
  return fmt::format(
      "{} was truncated by another process: {} of {} bytes are left; check who may write to it "
      "(RINGSIDE_GROUP); ringcat --segment prints the records that are left",
      path, bytes_left, segment_bytes);
}

}  // namespace ringside::tool
