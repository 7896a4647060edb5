#pragma once
// Removes from this process everything that draining does not need: capabilities, system calls
// (seccomp), directories (landlock). Permanent, and for every thread started later; call it before
// the first thread is started. SECURITY.md has the purpose.

#include <cstdint>
#include <string>
#include <vector>

#include "consumerd/configuration/options.hpp"
#include "consumerd/log/log.hpp"

namespace ringside::consumer {

// The measures that failed, with the reason; an empty text is success.
struct SandboxResult {
  std::string capabilities;
  std::string landlock;
  std::string seccomp;
  int landlock_abi = 0;

  bool complete() const { return capabilities.empty() && landlock.empty() && seccomp.empty(); }
};

// Afterwards files can be read, written, created and removed in `directories`, and read in
// `readable` ones, and nowhere else. With `serves`, connections to sockets that already listen can
// be accepted; none can be opened.
SandboxResult enter_sandbox(const std::vector<std::string>& directories,
                            const std::vector<std::string>& readable, bool serves);

// The same according to the option: kOn fails if any measure is unavailable, kAuto logs that and
// continues. `working` directories may be removed and created again while consumerd runs; `staged`
// ones hold what an earlier consumerd left; the directory of the configuration file stays readable.
// False, with a message in the log, if consumerd must not continue.
bool enter_sandbox_by_choice(const Options& options, const std::vector<std::string>& working,
                             const std::vector<std::string>& staged, const Log& log);

// A landlock rule holds for a directory, not for its name. Returns the directory whose rule also
// holds for a new directory in the place of `directory`: its parent, if this user could create one
// there. Otherwise `directory` itself: a mount point stays in place, and / never gets a rule.
std::string lasting_directory(const std::string& directory);

// The individual measures. Each returns the error, or an empty text.
std::string drop_capabilities();
std::string restrict_directories(const std::vector<std::string>& directories,
                                 const std::vector<std::string>& readable, int* abi);
std::string restrict_system_calls(bool serves);

}  // namespace ringside::consumer
