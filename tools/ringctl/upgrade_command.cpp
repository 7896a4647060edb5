#include "tools/ringctl/upgrade_command.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/syscall.h>

#include "tools/ringctl/consumer_processes.hpp"
#include "tools/ringctl/control_command.hpp"
#include "tools/ringctl/held_presence.hpp"
#include "tools/ringctl/ringctl_exit_codes.hpp"
#include "tools/ringctl/ringctl_output.hpp"
#include "tools/ringctl/upgrade_candidate.hpp"

namespace ringside::tool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPause = std::chrono::milliseconds(2);

struct UpgradeOptions {
  std::string shm_dir = "/dev/shm";
  std::string program;
  std::optional<pid_t> pid;
  std::chrono::nanoseconds timeout{};
  bool check_only = false;
  bool json = false;
};

// One consumerd that is replaced.
class Upgrade {
 public:
  Upgrade(const UpgradeOptions& options, const ConsumerProcess& consumer,
          UpgradeCandidate candidate)
      : options_(options),
        consumer_(consumer),
        candidate_(std::move(candidate)),
        note_(candidate_.note),
        segments_(drained_segments(options.shm_dir, consumer.pid)),
        presence_(hold_presence(consumer.pid, options.shm_dir)) {}

  // False with `*why`, which also states what runs now.
  bool run(std::string* why) {
    auto next = ConsumerReplacement::prepare(candidate_.running, candidate_.streams,
                                             candidate_.running.handle.get(), candidate_.next,
                                             candidate_.previous, why);
    if (next == nullptr) {
      *why += "; process " + std::to_string(consumer_.pid) + " continues";
      return false;
    }
    begin_ = Clock::now();
    if (!next->go()) {
      *why =
          "the prepared process has ended; process " + std::to_string(consumer_.pid) + " continues";
      return false;
    }
    std::string fault;
    if (!next->wait_for_execution(Clock::now() + options_.timeout, &fault)) {
      // Nothing is lost: what it has taken is in its staging file.
      syscall(SYS_pidfd_send_signal, candidate_.running.handle.get(), SIGKILL, nullptr, 0);
      note_ += fmt::format("{}process {} did not end in {} and was killed; nothing is lost by that",
                           note_.empty() ? "" : "; ", consumer_.pid, timeout_text());
      fault.clear();
      if (!next->wait_for_execution(Clock::now() + options_.timeout, &fault)) {
        *why = fmt::format(
            "process {} does not end, not even by SIGKILL; process {} replaces it "
            "when it ends",
            consumer_.pid, next->pid());
        return false;
      }
    }
    pid_ = next->pid();
    const bool is_next = fault.empty();
    if (wait_until_serving(*next, &fault) && is_next) return true;
    if (!is_next) {  // it has executed the previous program already
      *why = fault + "; the previous program runs again as process " + std::to_string(pid_);
      return false;
    }
    *why = fmt::format("{} {} failed: {}; see its messages; ", candidate_.next.executable.path,
                       candidate_.next_version, fault);
    next->end();
    *why += start_previous();
    return false;
  }

  void report() const {
    const auto took = Clock::now() - begin_;
    if (options_.json) {
      nlohmann::ordered_json object;
      object["pid"] = consumer_.pid;
      object["version"] = candidate_.version;
      object["new_pid"] = pid_;
      object["new_version"] = candidate_.next_version;
      object["program"] = candidate_.next.executable.path;
      object["segments"] = segments_.size();
      object["ns"] = std::chrono::nanoseconds(took).count();
      return say_json(object);
    }
    say(fmt::format("consumerd {} ({}) was replaced by process {} ({}) in {} ms; segments: {}",
                    consumer_.pid, candidate_.version, pid_, candidate_.next_version,
                    std::chrono::duration_cast<std::chrono::milliseconds>(took).count(),
                    segments_.size()));
  }

  const std::string& note() const { return note_; }

 private:
  std::string timeout_text() const {
    return duration_text(static_cast<std::uint64_t>(options_.timeout.count()));
  }

  // Until it has its staging file and every segment that the consumerd before it drained.
  bool wait_until_serving(ConsumerReplacement& process, std::string* why) const {
    std::vector<std::string> waiting = segments_;
    const auto deadline = Clock::now() + options_.timeout;
    for (;;) {
      if (process.has_ended(why)) return false;
      const std::vector<std::string> taken = drained_segments(options_.shm_dir, process.pid());
      std::erase_if(waiting, [&taken](const std::string& path) {
        return std::binary_search(taken.begin(), taken.end(), path) ||
               access(path.c_str(), F_OK) != 0;
      });
      const bool has_started = has_staging(process.pid(), options_.shm_dir, consumer_.staging_path);
      if (has_started && waiting.empty()) return true;
      if (Clock::now() >= deadline) {
        *why = has_started
                   ? fmt::format("it has not taken {} of {} segments in {}, such as {}",
                                 waiting.size(), segments_.size(), timeout_text(), waiting.front())
                   : "it does not serve after " + timeout_text();
        return false;
      }
      std::this_thread::sleep_for(kPause);
    }
  }

  // Returns what runs now.
  std::string start_previous() {
    std::string why;
    const auto previous = ConsumerReplacement::prepare(
        candidate_.running, candidate_.streams, -1, candidate_.previous, candidate_.previous, &why);
    if (previous != nullptr && previous->go() &&
        previous->wait_for_execution(Clock::now() + options_.timeout, &why) && why.empty() &&
        wait_until_serving(*previous, &why)) {
      return fmt::format("the previous program ({}) runs again as process {}", candidate_.version,
                         previous->pid());
    }
    return fmt::format(
        "the previous program ({}) failed too: {}; services keep recording into "
        "their rings, start consumerd now",
        candidate_.version, why);
  }

  const UpgradeOptions& options_;
  const ConsumerProcess& consumer_;
  const UpgradeCandidate candidate_;
  std::string note_;
  const std::vector<std::string> segments_;  // that it drains when the upgrade begins
  const OwnedFd presence_;                   // until the new process has shown its own
  Clock::time_point begin_{};
  pid_t pid_ = 0;
};

bool upgrade_one(const UpgradeOptions& options, const ConsumerProcess& consumer, std::string* why) {
  if (consumer.pid == 0) {
    *why = "the consumerd of " + consumer.staging_path +
           " belongs to another user or container; run ringctl as that user or as root, in its "
           "container";
    return false;
  }
  if (!lock_for_upgrade(consumer)) {
    *why = fmt::format("consumerd {}: another ringctl upgrade is replacing it", consumer.pid);
    return false;
  }
  auto candidate = check_upgrade(consumer.pid, options.program, options.timeout, why);
  if (!candidate) {
    *why = fmt::format("consumerd {} was not changed: {}", consumer.pid, *why);
    return false;
  }
  if (options.check_only) {
    say(fmt::format("consumerd {} ({}) can be replaced by {} ({})", consumer.pid,
                    candidate->version, candidate->next.executable.path, candidate->next_version));
    return true;
  }
  // From here on only SIGKILL ends this tool. Even then the new process takes over.
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) std::signal(signal, SIG_IGN);
  Upgrade upgrade(options, consumer, std::move(*candidate));
  const bool done = upgrade.run(why);
  if (!upgrade.note().empty())
    complain(fmt::format("consumerd {}: {}", consumer.pid, upgrade.note()));
  if (done) {
    upgrade.report();
  } else {
    *why = fmt::format("consumerd {}: {}", consumer.pid, *why);
  }
  return done;
}

}  // namespace

int run_upgrade(int argc, char** argv) {
  CLI::App app(
      "Replaces running consumerds by the program that now has their path: checks the program\n"
      "and the configuration, ends the old process in order, and starts the new one with the\n"
      "same arguments, environment, directory, user and streams. Services log meanwhile. If\n"
      "the new one fails, the old program is started again.",
      "ringctl upgrade");
  UpgradeOptions options;
  std::string timeout = "30s";
  app.add_option("--program", options.program,
                 "the new program; default: the path with which the process was started")
      ->type_name("PATH");
  app.add_flag("--check", options.check_only, "only check the new program and the configuration");
  app.add_option("--timeout", timeout,
                 "longest wait for the end of the old process, and for the new one to serve")
      ->type_name("DURATION")
      ->capture_default_str();
  app.add_option("--pid", options.pid, "only the consumerd with this pid")->type_name("PID");
  app.add_option("--shm-dir", options.shm_dir,
                 "directory of the services' segments; default: RINGSIDE_SHM_DIR")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_flag("--json", options.json, "one JSON object per line instead of text");
  app.footer(
      "A consumerd that systemd, a container or another supervisor has started must be restarted\n"
      "by that; the message has the command.\n"
      "\n"
      "Exit status: 0 success, 1 a consumerd could not be replaced (see standard error), 2 "
      "invalid\n"
      "usage, 3 no consumerd.");
  // Where services with the same environment create their segments.
  const char* const variable = std::getenv("RINGSIDE_SHM_DIR");  // NOLINT(concurrency-mt-unsafe)
  if (variable != nullptr && *variable != '\0') options.shm_dir = variable;
  if (const int status = parse_or_status(app, argc, argv); status != kGoOn) return status;
  const auto timeout_ns = parse_timeout(timeout);
  if (!timeout_ns) return kCtlUsage;
  options.timeout = std::chrono::nanoseconds(*timeout_ns);
  if (!options.program.empty()) {
    options.program = std::filesystem::absolute(options.program).lexically_normal();
  }
  std::signal(SIGCHLD, SIG_DFL);  // this tool waits for its children
  std::string why;
  std::vector<ConsumerProcess> consumers = consumer_processes(options.shm_dir, &why);
  if (options.pid) {
    std::erase_if(consumers, [&](const auto& one) { return one.pid != *options.pid; });
  }
  if (consumers.empty()) {
    complain(why.empty() ? "no consumerd drains " + options.shm_dir +
                               "; set --shm-dir to the directory of the segments"
                         : why);
    return kCtlNobody;
  }
  bool all = true;
  for (const ConsumerProcess& consumer : consumers) {
    if (upgrade_one(options, consumer, &why)) continue;
    complain(why);
    all = false;
    why.clear();
  }
  return all ? kCtlOk : kCtlFailed;
}

}  // namespace ringside::tool
