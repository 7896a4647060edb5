#pragma once
// Trace files written anew into one: repaired, cut out or put together.

#include <optional>
#include <string>
#include <vector>

#include "trace-format/read_options.hpp"
#include "trace-format/read_report.hpp"

namespace ringside::tool {

struct Rewriting {
  std::vector<std::string> inputs;  // files, packed or not, or directories of them
  std::string output;
  bool force = false;  // replaces a file that is there already
  // Times and streams that are wanted, with the statements that occur; absent: everything. Its
  // other wishes are not looked at.
  std::optional<trace::ReadOptions> cut;
};

// The sections of all inputs, those of one segment in their order. Each is sound and ends with
// INDEX and END. What was left out for damage is in the report. False with `*error` if an input
// cannot be read, is no trace, or if the output cannot be written; then it is as it was.
bool rewrite_traces(const Rewriting& rewriting, trace::ReadReport& report, std::string* error);

}  // namespace ringside::tool
