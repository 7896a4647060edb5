#pragma once
// Session directories as LTTng makes them: traces are at some depth below, such as in
// ust/uid/1000/64-bit, ust/pid/NAME-PID-TIME, kernel, or archives/CHUNK/kernel.

#include <cstddef>
#include <string>
#include <vector>

#include "tools/interop/read_outcome.hpp"

namespace ringside::tool::ctf {

inline constexpr std::size_t kMostTraces = 500;

struct TraceSources {
  std::vector<std::string> paths;  // below the session's directory, in order; "" is itself
  std::string left_out;            // what is not read and why; empty if everything is
};

// For a trace, the trace itself. For a session, the directories with a nonempty `metadata`.
// Symbolic links are not followed. Returns at least one path.
TraceSources sources_of(const std::string& path);

// The path of one of `paths`.
std::string place_of(const std::string& session, const std::string& path);

// The first damage becomes the damage of `all`; further damage becomes a warning. Messages begin
// with `path` for a trace below the session.
void add_outcome(ReadOutcome from, const std::string& path, ReadOutcome& all);
void add_left_out(const TraceSources& sources, ReadOutcome& all);

// Whether `path` is a trace of CTF, or has one below it and has no trace files of Ringside. Checks
// only few directories.
bool is_trace(const std::string& path);
bool is_session(const std::string& path);

}  // namespace ringside::tool::ctf
