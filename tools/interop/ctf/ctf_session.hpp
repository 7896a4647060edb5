#pragma once
// Directories of sessions, as LTTng makes them: traces lie somewhere below, such as in
// ust/uid/1000/64-bit, ust/pid/NAME-PID-TIME, kernel, or archives/CHUNK/kernel.

#include <cstddef>
#include <string>
#include <vector>

#include "tools/interop/read_outcome.hpp"

namespace ringside::tool::ctf {

inline constexpr std::size_t kMostTraces = 500;

struct TraceSources {
  std::vector<std::string> paths;  // below the session's directory, in order; "" is itself
  std::string left_out;            // what is not read and why; empty if that is nothing
};

// Of a trace, itself. Of a session the directories with a `metadata` that is not empty. Symbolic
// links are not followed. At least one.
TraceSources sources_of(const std::string& path);

// Of one of `paths`.
std::string place_of(const std::string& session, const std::string& path);

// The first damage becomes the one of `all`; of further ones there is a warning. `path` of a trace
// below the session stands in front of what is said.
void add_outcome(ReadOutcome from, const std::string& path, ReadOutcome& all);
void add_left_out(const TraceSources& sources, ReadOutcome& all);

// Whether there is a trace of CTF 1.8 in `path`, or below it and `path` has no trace files of
// Ringside. Looks at few directories.
bool is_trace(const std::string& path);
bool is_session(const std::string& path);

}  // namespace ringside::tool::ctf
