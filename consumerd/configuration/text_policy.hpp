#pragma once
// The text files of --text.

#include <string>

#include "consumerd/configuration/rotation_policy.hpp"
#include "shm-layout/level.hpp"

namespace ringside::consumer {

struct TextPolicy {
  std::string dir;            // absolute; empty: no text is written
  bool only = false;          // no trace is kept: it is removed when its text is written
  std::string line_template;  // empty: the default line
  shm::Level least_level = shm::Level::kTrace;  // lines of losses are always written
  bool utc = false;
  RotationPolicy rotation;
  std::uint64_t keep_files = 0;  // rotated ones of each service; 0: no limit
  std::uint64_t keep_bytes = 0;
};

}  // namespace ringside::consumer
