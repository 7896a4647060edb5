#pragma once
// Running a program as another process runs: same user, groups, directory, environment, limits and
// standard streams. The program gets the rights of that process, never more: a caller with more
// rights gives them up before anything of the other user is executed.

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "tools/files/owned_fd.hpp"
#include "tools/ringctl/running_process.hpp"

namespace ringside::tool {

// `image`, unless it is -1: the open file that is executed, whatever has its path now.
struct Executable {
  std::string path;
  int image = -1;
};

// The standard streams of a process, for another one. A stream that cannot be shared is opened
// anew; if that is impossible too, it is /dev/null, and `*note` states that.
using StandardStreams = std::array<OwnedFd, 3>;
StandardStreams share_streams(const RunningProcess& process, std::string* note);

// Makes the calling process, a new child, like `model`. Returns the reason if it cannot.
std::string become_like(const RunningProcess& model);

// Only returns if it fails; errno has the reason. The program gets no other descriptors than the
// standard streams.
void execute(const Executable& program, const std::vector<std::string>& arguments,
             const std::vector<std::string>& environment);

// What a program did that ran to its end.
struct ProgramRun {
  std::string failure;  // why it could not be run to its end; empty otherwise
  int status = -1;      // its exit status, or 128 and the signal that ended it
  std::string output;   // both streams together, at most 64 KiB
};

// Runs it with empty standard input, as `model` would. Ends it after `timeout`.
ProgramRun run_like(const RunningProcess& model, const Executable& program,
                    const std::vector<std::string>& arguments, std::chrono::nanoseconds timeout);

}  // namespace ringside::tool
