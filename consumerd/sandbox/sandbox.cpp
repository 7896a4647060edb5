#include "consumerd/sandbox/sandbox.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <unistd.h>

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace ringside::consumer {
namespace {

bool has_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct held[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capget, &header, held) != 0) return false;
  return std::any_of(std::begin(held), std::end(held),
                     [](const __user_cap_data_struct& part) { return part.effective != 0; });
}

}  // namespace

std::string drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct held[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capget, &header, held) != 0) {
    return "cannot read the capabilities: " + error_text(errno);
  }
  bool any = false;
  for (const __user_cap_data_struct& part : held) any = any || (part.permitted != 0);
  // There are no capabilities to drop; PR_SET_NO_NEW_PRIVS prevents gaining any by starting a
  // program.
  if (!any) return {};
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  constexpr unsigned long kPastTheLast = 64;
  for (unsigned long capability = 0; capability < kPastTheLast; ++capability) {
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  }
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capset, &header, none) != 0) {
    return "cannot drop the capabilities: " + error_text(errno);
  }
  return {};
}

SandboxResult enter_sandbox(const std::vector<std::string>& directories,
                            const std::vector<std::string>& readable, bool serves) {
  SandboxResult result;
  result.capabilities = drop_capabilities();
  // Required by the other two; it cannot be undone.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    result.landlock = "cannot set no_new_privs: " + error_text(errno);
    return result;
  }
  result.landlock = restrict_directories(directories, readable, &result.landlock_abi);
  // Last: it forbids the calls that the others need.
  result.seccomp = restrict_system_calls(serves);
  return result;
}

bool enter_sandbox_by_choice(const Options& options, const std::vector<std::string>& working,
                             const std::vector<std::string>& staged, const Log& log) {
  const SandboxChoice choice = options.sandbox;
  if (choice == SandboxChoice::kOff) return true;
  const bool had_capabilities = has_capabilities();
  // Dropped before the check of what this user may do; reported below, where it is done
  // permanently.
  drop_capabilities();
  std::vector<std::string> directories = staged;
  for (const std::string& directory : working) {
    directories.push_back(lasting_directory(directory));
    log.detail("sandbox: files in " + directories.back());
  }
  std::vector<std::string> readable;
  if (!options.config_file.empty()) {
    readable.push_back(std::filesystem::path(options.config_file).parent_path());
  }
  const SandboxResult result = enter_sandbox(directories, readable, !options.metrics.empty());
  std::string missing;
  for (const std::string* const what : {&result.capabilities, &result.landlock, &result.seccomp}) {
    if (!what->empty()) missing += (missing.empty() ? "" : "; ") + *what;
  }
  if (!missing.empty() && choice == SandboxChoice::kOn) {
    log.error("the sandbox is incomplete: " + missing +
              "; use a kernel and a container that allow it, or --sandbox auto");
    return false;
  }
  if (!missing.empty()) log.notice("running with an incomplete sandbox: " + missing);
  for (const std::string& directory : working) {
    if (access(directory.c_str(), R_OK | W_OK | X_OK) == 0) continue;
    const std::string what =
        directory + ": " + error_text(errno) + " for user " + std::to_string(geteuid());
    log.error(had_capabilities ? what +
                                     " without capabilities, which the sandbox drops; make the "
                                     "directory writable for that user, or use --sandbox off"
                               : what + "; make the directory writable for that user");
    return false;
  }
  log.detail("running in a sandbox (landlock ABI " + std::to_string(result.landlock_abi) + ")");
  return true;
}

}  // namespace ringside::consumer
