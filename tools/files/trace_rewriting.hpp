#pragma once
// Rewrites trace files into one: repaired, cut or merged.

#include <optional>
#include <string>
#include <vector>

#include "trace-format/blocks/read_report.hpp"
#include "trace-format/reader/read_options.hpp"

namespace ringside::tool {

struct Rewriting {
  std::vector<std::string> inputs;  // files, packed or not, or directories of them
  std::string output;
  bool force = false;  // replaces an existing file
  // The selected times and streams, with the statements that occur; absent: everything. Its other
  // members are ignored.
  std::optional<trace::ReadOptions> cut;
};

// Writes the sections of all inputs, those of one segment in their order. Each is valid and ends
// with INDEX and END. The report lists data left out because of damage. False with `*error` if an
// input cannot be read or is not a trace, or if the output cannot be written; then an existing
// output is unchanged.
bool rewrite_traces(const Rewriting& rewriting, trace::ReadReport& report, std::string* error);

}  // namespace ringside::tool
