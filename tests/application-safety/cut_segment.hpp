#pragma once
// Records with numbers in a segment that another process cuts.

#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {

using Values = std::vector<std::string>;

inline void log_number(int number) {
  RS_INFO("number %d", number);
}

inline Values numbers_in(SegmentReader& segment) {
  Values numbers;
  for (std::uint32_t i = 0; i < segment.rings_used(); ++i) {
    for (const Record& r : segment.data(i)) numbers.push_back(r.values.at(0));
  }
  return numbers;
}

inline void let_the_group_write() {
  setenv("RINGSIDE_MODE", "0660", 1);
}

// As another process that may write to the file. Returns its path.
inline std::string cut_segment(off_t bytes = 0) {
  std::string path = segments_in(shm_dir()).at(0);
  EXPECT_EQ(truncate(path.c_str(), bytes), 0);
  return path;
}

// Where ring `index` of the segment begins, whose file may be truncated there.
inline off_t begin_of_ring(std::uint32_t index) {
  const SegmentReader segment(segments_in(shm_dir()).at(0));
  return static_cast<off_t>(segment.layout().rings_offset + index * segment.layout().ring_bytes);
}

}  // namespace ringside::test
