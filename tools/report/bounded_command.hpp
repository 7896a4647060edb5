#pragma once
// A program that answers a question: its output, its time and its memory on this side are bounded.

#include <cstddef>
#include <string>
#include <vector>

namespace ringside::tool {

struct CommandBounds {
  int timeout_ms = 60'000;
  std::size_t most_output_bytes = std::size_t{256} << 10;
  std::size_t most_error_bytes = std::size_t{8} << 10;
};

struct CommandResult {
  int status = -1;  // of the exit; -1: it was ended
  std::string output;
  std::string errors;
  bool is_cut = false;  // the output had more
  bool is_timed_out = false;
};

// Runs `program` with these arguments and without standard input. When the output exceeds its
// bound, or after the time, the process is killed. False with `*why` if it cannot be started.
bool run_bounded(const std::string& program, const std::vector<std::string>& arguments,
                 const CommandBounds& bounds, CommandResult& result, std::string* why);

}  // namespace ringside::tool
