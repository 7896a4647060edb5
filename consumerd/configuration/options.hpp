#pragma once
// The options of consumerd from the command line, the environment and the configuration file.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "consumerd/configuration/rotation_policy.hpp"
#include "consumerd/configuration/sync_policy.hpp"
#include "consumerd/configuration/text_policy.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/rules/record_rules.hpp"
#include "consumerd/rules/trigger_rule.hpp"

namespace ringside::consumer {

// Threads that encode.
inline constexpr std::uint32_t kMostThreads = 64;
inline constexpr std::uint32_t kMostThreadsOfAuto = 4;

enum class IoChoice { kAuto, kUring, kPwrite };
enum class SandboxChoice { kAuto, kOn, kOff };

// Limits for the closed files of each service.
struct KeepPolicy {
  std::uint64_t files = 0;  // at most this many; 0: no limit
  std::uint64_t bytes = 0;  // at most this many; 0: no limit
  // Closed files that are not shipped from this host (trace-format/README.md, "Shipped marks") stay
  // until all closed files have more bytes than this; 0: retention does not wait for them.
  std::uint64_t unshipped_bytes = 0;
  bool pack = false;

  bool asks_for_work() const { return files != 0 || bytes != 0 || pack; }
};

// Values of settings (option_settings.hpp) by their names.
using SettingValues = std::map<std::string, std::vector<std::string>>;

struct Options {
  std::string output_dir;  // absolute
  std::string shm_dir = "/dev/shm";
  std::vector<std::string> services;  // globs; empty: all
  std::vector<uid_t> allowed_users;   // in addition to this process's own
  std::vector<gid_t> allowed_groups;
  IoChoice io = IoChoice::kAuto;
  SyncPolicy sync;
  SandboxChoice sandbox = SandboxChoice::kAuto;
  RotationPolicy rotation;
  KeepPolicy keep;
  std::string metrics;        // address and port to serve them on; empty: nowhere
  int cpu = -1;               // -1: the kernel chooses
  bool cpu_auto = false;      // near the services
  std::uint32_t threads = 1;  // that encode, at most; see encoder_threads()
  LogFormat log_format = LogFormat::kText;
  bool once = false;
  bool verbose = false;
  // From the configuration file.
  std::string config_file;  // absolute; empty: there is none
  std::shared_ptr<const RecordRules> rules = std::make_shared<RecordRules>();
  std::vector<TriggerRule> triggers;  // prepared; each name once
  SettingValues given;  // from the command line or the environment: the file cannot override these
  SettingValues settled;  // the values of all sources together
  TextPolicy text;
  // Where sessions may write besides directories below the output; absolute.
  std::vector<std::string> session_dirs;
};

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitOwned = 3;  // another consumerd drains the same segments

// Empty if the process must end at once with `*exit_code` (help, version, invalid usage); the
// message was printed.
std::optional<Options> parse_options(int argc, char** argv, int* exit_code);

// The options with the present contents of the configuration file: `present`, with every setting
// that can change at run time. Nothing, with `*faults`, if the file is invalid. `*fixed`: changed
// settings that require a restart.
std::optional<Options> reload_options(const Options& present, std::vector<std::string>* faults,
                                      std::vector<std::string>* fixed);

// The most threads that may encode, the poll loop's included. The text of a service is made from
// its files one after the other, so with --text they are not written side by side.
inline std::uint32_t encoder_threads(const Options& options) {
  return options.text.dir.empty() ? options.threads : 1;
}

// The directories that consumerd needs as long as it runs.
std::vector<std::string> working_directories(const Options& options);

// Whether `service` is one of those that `options` name.
bool serves(const Options& options, const std::string& service);

}  // namespace ringside::consumer
