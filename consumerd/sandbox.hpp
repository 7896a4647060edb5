#pragma once
// Takes away from this process everything that draining does not need: capabilities, system calls
// (seccomp), directories (landlock). For good, and for every thread that is started later; call it
// before the first one is. SECURITY.md says what it is for.

#include <cstdint>
#include <string>
#include <vector>

#include "consumerd/log.hpp"
#include "consumerd/options.hpp"

namespace ringside::consumer {

// What was to be done, and did not work; empty texts for what did.
struct SandboxResult {
  std::string capabilities;
  std::string landlock;
  std::string seccomp;
  int landlock_abi = 0;

  bool complete() const { return capabilities.empty() && landlock.empty() && seccomp.empty(); }
};

// Files can be read, written, made and removed in `directories` from then on, and read in
// `readable` ones, nowhere else. If it `serves`, connections to sockets that listen already can be
// accepted; none can be made.
SandboxResult enter_sandbox(const std::vector<std::string>& directories,
                            const std::vector<std::string>& readable, bool serves);

// The same by choice: kOn fails where something of it cannot be had, kAuto says so and goes on.
// `working` directories may be removed and made again meanwhile, `staged` ones are for what an
// earlier consumerd left; the one of the configuration file stays readable. False, said in the log,
// if consumerd must not go on.
bool enter_sandbox_by_choice(const Options& options, const std::vector<std::string>& working,
                             const std::vector<std::string>& staged, const Log& log);

// A rule is for a directory, not for its name. This is the one whose rule also holds for a
// directory that is made again in the place of `directory`: its parent, if this user could do
// that. Elsewhere `directory` itself: a mount point stays as it is, and of / there is no rule.
std::string lasting_directory(const std::string& directory);

// The parts. Each returns what went wrong, or nothing.
std::string drop_capabilities();
std::string restrict_directories(const std::vector<std::string>& directories,
                                 const std::vector<std::string>& readable, int* abi);
std::string restrict_system_calls(bool serves);

}  // namespace ringside::consumer
