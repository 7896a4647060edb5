#include "tools/ringctl/snapshot_command.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/ringctl/control_command.hpp"
#include "tools/ringctl/ringctl_exit_codes.hpp"
#include "tools/ringctl/ringctl_output.hpp"
#include "tools/ringctl/snapshot_request.hpp"

namespace ringside::tool {
namespace {

using std::chrono::steady_clock;

constexpr auto kSnapshotPause = std::chrono::milliseconds(2);

nlohmann::ordered_json json_of(const SnapshotRequest& request, const std::string& error) {
  nlohmann::ordered_json line;
  line["service"] = request.service();
  line["pid"] = request.pid();
  line["segment"] = request.segment();
  if (error.empty()) {
    line["path"] = request.answer().path;
    line["records"] = request.answer().records;
    line["lost"] = request.answer().lost;
    line["overwritten"] = request.answer().overwritten;
    line["ended_overwritten"] = request.answer().ended_overwritten;
  } else {
    line["error"] = error;
  }
  return line;
}

std::string text_line(const SnapshotRequest& request) {
  const SnapshotAnswer& answer = request.answer();
  std::string line = fmt::format("{} {}: {}: {} records", request.service(), request.pid(),
                                 answer.path, answer.records);
  if (answer.lost != 0) {
    line += fmt::format(", {} lost before them, {} of these overwritten", answer.lost,
                        answer.overwritten);
  }
  if (answer.ended_overwritten != 0) {
    line +=
        fmt::format("; {} of threads that have ended were overwritten", answer.ended_overwritten);
  }
  return line;
}

// Sends all requests at once, so that the snapshots are of one time, and prints each answer.
bool take_snapshots(std::vector<SnapshotRequest> requests, bool json, std::uint64_t timeout_ns) {
  const auto start = steady_clock::now();
  const auto deadline = start + std::chrono::nanoseconds(timeout_ns);
  for (const SnapshotRequest& request : requests) {
    request.wait_for_consumer(std::min(deadline, start + kConsumerOnItsWay));
  }
  bool all_done = true;
  std::vector<bool> over(requests.size());
  for (;;) {
    bool waiting = false;
    const bool late = steady_clock::now() >= deadline;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (over[i]) continue;
      SnapshotRequest& request = requests[i];
      const SnapshotRequest::State state = request.advance();
      if (state == SnapshotRequest::State::kWaiting && !late) {
        waiting = true;
        continue;
      }
      over[i] = true;
      std::string error;
      if (state != SnapshotRequest::State::kAnswered) {
        error = state == SnapshotRequest::State::kFailed ? request.why() : request.hindrance();
        complain(error);
        all_done = false;
      }
      if (json) {
        say_json(json_of(request, error));
      } else if (error.empty()) {
        say(text_line(request));
      }
    }
    if (!waiting) return all_done;
    std::this_thread::sleep_for(kSnapshotPause);
  }
}

}  // namespace

int run_snapshot(int argc, char** argv) {
  CLI::App app(
      "Writes the rings of services with RINGSIDE_OVERFLOW=overwrite to trace files and prints\n"
      "their names. Records of earlier snapshots are not repeated.",
      "ringctl snapshot");
  ControlOptions options;
  std::string timeout = "10s";
  app.add_option("--timeout", timeout, "longest wait for consumerd")
      ->type_name("DURATION")
      ->capture_default_str();
  add_control_options(app, options);
  app.footer(
      "consumerd writes the files to its --output directory; names are as consumerd sees them.\n"
      "\n"
      "Exit status: 0 all snapshots are written, 1 one is not (see standard error), 2 invalid\n"
      "usage, 3 no such service.");
  if (const int status = parse_or_status(app, argc, argv); status != kGoOn) return status;
  const auto timeout_ns = parse_timeout(timeout);
  if (!timeout_ns) return kCtlUsage;
  std::string why;
  bool all_open = true;
  std::vector<SnapshotRequest> requests;
  for (const std::string& file : chosen_segments(options.services, &why)) {
    if (auto request = SnapshotRequest::open(file, &why)) {
      requests.push_back(std::move(*request));
    } else if (!why.empty()) {
      complain(why);
      all_open = false;
    }
    why.clear();
  }
  if (!why.empty()) {
    complain(why);
    return kCtlNobody;
  }
  if (requests.empty()) {
    if (all_open) {
      complain("no matching service in " + options.services.shm_dir +
               " has rings that are overwritten (RINGSIDE_OVERFLOW=overwrite); set --shm-dir to "
               "the directory of the segments");
    }
    return kCtlNobody;
  }
  return take_snapshots(std::move(requests), options.json, *timeout_ns) && all_open ? kCtlOk
                                                                                    : kCtlFailed;
}

}  // namespace ringside::tool
