#include "tools/ringctl/doctor_command.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "shm-layout/abi_version.hpp"
#include "tools/live/segment_image.hpp"
#include "tools/live/segment_status.hpp"
#include "tools/ringctl/control_command.hpp"
#include "tools/ringctl/host_check.hpp"
#include "tools/ringctl/ringctl_exit_codes.hpp"
#include "tools/ringctl/ringctl_output.hpp"

namespace ringside::tool {
namespace {

std::string version_text(std::uint32_t version) {
  return fmt::format("{}.{}", shm::abi_major(version), shm::abi_minor(version));
}

// Checks one segment: whether it can be read, its consumer, its losses and their causes.
std::vector<CheckResult> check_segment(const std::string& path) {
  std::string why;
  const auto image = SegmentImage::open_live(path, &why);
  const std::string name = fmt::format("{} {}", service_of(path), pid_of(path));
  if (image == nullptr) {
    if (why.empty()) return {};
    // Services of other users are not problems of this user.
    if (access(path.c_str(), R_OK) != 0 && errno == EACCES) {
      return {{name, Verdict::kWarning, why, "run ringctl doctor as the user of this service"}};
    }
    return {{name, Verdict::kFailure, why, "remove the file if no service uses it"}};
  }
  std::vector<CheckResult> results;
  const SegmentStatus status = read_status(*image, path);
  if (!image->is_whole(path, &why)) {
    return {{name, Verdict::kFailure, why, "remove the file if no service uses it"}};
  }
  const bool newer = shm::abi_minor(status.abi_version) > shm::kAbiMinor;
  results.push_back({name + ": version", newer ? Verdict::kWarning : Verdict::kOk,
                     "ABI " + version_text(status.abi_version),
                     newer
                         ? "its library is newer than this tool, which supports ABI " +
                               version_text(shm::kAbiVersion) + "; upgrade the tools and consumerd"
                         : ""});
  if (access(path.c_str(), W_OK) != 0) {
    results.push_back(
        {name + ": permission", Verdict::kWarning,
         fmt::format("it belongs to user {}, you are {}", status.uid, geteuid()),
         "this user can read it but not control it; run ringctl as its owner or as root"});
  }
  switch (status.consumer) {
    case ConsumerHealth::kPolling:
      results.push_back(
          {name + ": consumerd", Verdict::kOk, fmt::format("process {}", status.consumer_pid), ""});
      break;
    case ConsumerHealth::kNone:
      if (status.sub_buffer_bytes != 0 && status.alive) {
        results.push_back({name + ": consumerd", Verdict::kWarning, "none; snapshots require one",
                           "start consumerd --output DIR"});
        break;
      }
      results.push_back(
          {name + ": consumerd", status.alive ? Verdict::kFailure : Verdict::kWarning,
           status.alive ? "none: when the rings are full, records are lost"
                        : "none; the service has ended and left records",
           "start consumerd --output DIR (with --once, it only writes the records left)"});
      break;
    case ConsumerHealth::kStalled:
      results.push_back({name + ": consumerd", Verdict::kFailure, "cannot write",
                         "free space on the disk; the log of consumerd has the reason"});
      break;
    case ConsumerHealth::kSilent:
      results.push_back(
          {name + ": consumerd", Verdict::kFailure,
           fmt::format("process {} has sent no heartbeat for {}", status.consumer_pid,
                       duration_text(status.heartbeat_age_ns)),
           "it is stopped (send SIGCONT), lacks processor time, or waits for a disk"});
      break;
  }
  const auto quarantined =
      std::count_if(status.rings.begin(), status.rings.end(),
                    [](const RingStatus& ring) { return ring.quarantine != 0; });
  if (quarantined != 0) {
    results.push_back(
        {name + ": quarantine", Verdict::kFailure,
         fmt::format("{} rings had invalid contents", quarantined),
         "the service probably overwrote its rings (stray write); run it with AddressSanitizer"});
  }
  if (status.lost_no_memory != 0) {
    results.push_back(
        {name + ": memory", Verdict::kFailure,
         fmt::format("{} records lost because shared memory was full", status.lost_no_memory),
         "enlarge the shared-memory file system (--shm-size), or shrink the rings "
         "(RINGSIDE_RING_BYTES)"});
  }
  if (status.lost_no_ring != 0) {
    results.push_back({name + ": rings", Verdict::kFailure,
                       fmt::format("{} records lost by threads without a ring; there are {} rings",
                                   status.lost_no_ring, status.ring_count),
                       "raise RINGSIDE_MAX_THREADS"});
  }
  return results;
}

}  // namespace

int run_doctor(int argc, char** argv) {
  CLI::App app(
      "Checks this machine or container and all segments, and prints a remedy for each problem.",
      "ringctl doctor");
  ControlOptions options;
  add_control_options(app, options);
  app.footer(
      "Exit status: 0 no failure (warnings are possible), 1 at least one failure, 2 invalid "
      "usage.");
  if (const int status = parse_or_status(app, argc, argv); status != kGoOn) return status;
  std::vector<CheckResult> results = check_shared_memory(options.services.shm_dir);
  for (CheckResult& result : check_host({})) results.push_back(std::move(result));
  std::string why;
  for (const std::string& path : chosen_segments(options.services, &why)) {
    for (CheckResult& result : check_segment(path)) results.push_back(std::move(result));
  }
  bool fails = false;
  for (const CheckResult& result : results) {
    fails = fails || result.verdict == Verdict::kFailure;
    if (options.json) {
      nlohmann::ordered_json object;
      object["check"] = result.name;
      object["verdict"] = verdict_name(result.verdict);
      object["found"] = result.found;
      if (!result.remedy.empty()) object["remedy"] = result.remedy;
      say_json(object);
      continue;
    }
    say(fmt::format("{:<8} {}: {}", verdict_name(result.verdict), result.name, result.found));
    if (!result.remedy.empty()) say("         remedy: " + result.remedy);
  }
  return fails ? kCtlFailed : kCtlOk;
}

}  // namespace ringside::tool
