#pragma once
// The content of a trace file, read block by block: any damage or gap makes a test fail.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ringside::consumer_test {

struct TraceContent {
  std::map<std::uint64_t, std::vector<std::uint64_t>>
      values;  // by stream, in the order of the file
  std::uint64_t records = 0;
  std::uint64_t dropped = 0;
  std::uint64_t sections = 0;
  std::uint64_t clocks = 0;   // CLOCK blocks
  std::uint64_t streams = 0;  // STREAM blocks
  std::uint64_t ends = 0;
  std::vector<std::string> faults;  // empty for a valid file
};

TraceContent read_trace(const std::string& path);
// All *.ringtrace files of a directory whose names begin with `service`; the files of one segment
// in their order.
TraceContent read_traces(const std::string& dir, const std::string& service);

// Whether the stream has the values 0, 1, ... count - 1, each once, in this order.
bool counts_up_to(const TraceContent& content, std::uint64_t stream, std::uint64_t count);

}  // namespace ringside::consumer_test
