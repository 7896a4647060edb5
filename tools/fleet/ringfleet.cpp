// ringfleet: asks the hosts of a fleet. Users call it as ringctl fleet.

#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/fleet/extent_subject.hpp"
#include "tools/fleet/fleet_process.hpp"
#include "tools/fleet/host_name.hpp"
#include "tools/fleet/nats_connection.hpp"
#include "tools/fleet/record_selection.hpp"
#include "tools/fleet/snapshot_call.hpp"
#include "tools/text/duration.hpp"
#include "tools/text/help_format.hpp"
#include "tools/text/standard_descriptors.hpp"
#include "tools/text/time_argument.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace {

using namespace ringside::fleet;
namespace tool = ringside::tool;

constexpr const char* kProgram = "ringctl fleet";
constexpr int kSnapshotIncomplete = 1;
constexpr int kNoHost = 3;

struct SnapshotOptions {
  NatsOptions nats;
  FleetSnapshotRequest request;
  std::string since = "-60s";
  std::string until = "now";
  std::string timeout = "30s";
  std::string quiet = "1s";
  bool json = false;
};

void say(const std::string& text) {
  complain(kProgram, text);
}

// Hosts resolve no relative times: their requests may be late. False, with a message, if it is not
// a time.
bool make_absolute(const char* option, std::string& time) {
  std::string why;
  const auto unix_ns = tool::parse_time(time, tool::unix_ns_now(), true, &why);
  if (!unix_ns) {
    say(fmt::format("{}: {}", option, why));
    return false;
  }
  time = fmt::format("@{}.{:09}", *unix_ns / 1'000'000'000, *unix_ns % 1'000'000'000);
  return true;
}

bool read_duration(const char* option, const std::string& text, std::uint64_t& ms) {
  const auto ns = tool::parse_duration_ns(text);
  if (ns) {
    ms = *ns / 1'000'000;
    return true;
  }
  say(fmt::format("{}: invalid duration '{}'; use a number with a unit, such as 500ms or 30s",
                  option, text));
  return false;
}

// Mistakes shall be reported here, not by each host.
bool is_valid(const FleetSnapshotRequest& request) {
  tool::FilterOptions filter;
  filter.where = request.where;
  filter.level = request.level;
  filter.since = request.since;
  filter.until = request.until;
  std::string why;
  if (RecordSelection::make(filter, request.activity, &why) == nullptr) {
    say(why);
    return false;
  }
  if (request.id == subject_part(request.id)) return true;
  say(fmt::format("--id: invalid name '{}'; use letters, digits, '-' and '_'", request.id));
  return false;
}

std::string counted(std::uint64_t count, const char* noun, const char* plural = "s") {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : plural);
}

void print(const FleetSnapshotAnswer& answer, bool json) {
  if (json) {
    const nlohmann::ordered_json line{{"snapshot", answer.id},       {"host", answer.host},
                                      {"segments", answer.segments}, {"records", answer.records},
                                      {"bytes", answer.bytes},       {"error", answer.error}};
    fmt::print("{}\n", line.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace));
  } else {
    const std::string host = ringside::trace::visible(answer.host);
    if (!answer.error.empty()) fmt::print("{}: {}\n", host, ringside::trace::visible(answer.error));
    if (answer.records != 0)
      fmt::print("{}: {} of {}, {} bytes\n", host, counted(answer.records, "record"),
                 counted(answer.segments, "process", "es"), answer.bytes);
  }
  std::fflush(stdout);
}

int snapshot(SnapshotOptions& options) {
  SnapshotCallOptions call;
  call.tenant = options.nats.tenant;
  FleetSnapshotRequest& request = options.request;
  if (request.id.empty()) request.id = new_snapshot_id();
  request.since = options.since;
  request.until = options.until;
  request.origin = host_name();
  if (!make_absolute("--since", request.since) || !make_absolute("--until", request.until) ||
      !read_duration("--timeout", options.timeout, call.timeout_ms) ||
      !read_duration("--quiet", options.quiet, call.quiet_ms) || !is_valid(request))
    return kFleetUsage;
  std::string why;
  const auto connection = NatsConnection::open(options.nats, &why);
  SnapshotCallResult result;
  if (connection != nullptr) {
    result = call_for_snapshot(
        *connection, request, call,
        [&options](const FleetSnapshotAnswer& answer) { print(answer, options.json); }, &why);
  }
  if (!result.is_sent) {
    say(why);
    return kNoHost;
  }
  if (result.hosts.empty()) {
    say("no host answers; check that ringship runs on the hosts, with this server and --tenant, "
        "and "
        "that their users may subscribe to rs.trigger.TENANT.*");
    return kNoHost;
  }
  FleetSnapshotAnswer sum;
  std::uint64_t hosts = 0;
  bool has_failed = !result.is_complete;
  for (const auto& [name, answer] : result.hosts) {
    sum.records += answer.records;
    sum.bytes += answer.bytes;
    if (answer.records != 0) ++hosts;
    has_failed = has_failed || !answer.error.empty();
    if (!answer.is_done)
      say(ringside::trace::visible(name) +
          ": answered, but is not done; repeat the command with --id " + request.id);
  }
  if (!options.json)
    fmt::print("snapshot {}: {} of {}, none of {}, {} bytes\n", request.id,
               counted(sum.records, "record"), counted(hosts, "host"),
               counted(result.hosts.size() - hosts, "other host"), sum.bytes);
  return has_failed ? kSnapshotIncomplete : kFleetOk;
}

int run(int argc, char** argv) {
  SnapshotOptions options;
  CLI::App app(
      "Requests a snapshot from all hosts of a fleet. Each host that runs ringship sends the\n"
      "selected records of its flight recorders and recent trace files, and nothing else.",
      kProgram);
  tool::set_help_format(app);
  app.set_version_flag("--version", std::string("ringfleet ") + RINGSIDE_VERSION);
  std::string command;
  app.add_option("COMMAND", command, "snapshot")->required()->check(CLI::IsMember({"snapshot"}));
  add_nats_options(app, options.nats);
  app.add_option("--service", options.request.services, "services with this name; default: all")
      ->type_name("GLOB");
  app.add_option("--activity", options.request.activity,
                 "records of this activity: 32 hexadecimal digits")
      ->type_name("ID");
  app.add_option("--where", options.request.where,
                 "records that meet this condition, in the language of ringcat --where")
      ->type_name("CONDITION");
  app.add_option("--level", options.request.level, "records of this level and above")
      ->type_name("LEVEL");
  app.add_option("--since", options.since, "records from this time on")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--until", options.until, "records before this time")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--reason", options.request.reason, "a text that is stored with the request")
      ->type_name("TEXT");
  app.add_option("--id", options.request.id, "name of the snapshot; default: a new one")
      ->type_name("NAME");
  app.add_option("--timeout", options.timeout, "wait at most this long for answers")
      ->type_name("DURATION")
      ->capture_default_str();
  app.add_option(
         "--quiet", options.quiet,
         "end when all hosts that answered are done and no further host answers for this time")
      ->type_name("DURATION")
      ->capture_default_str();
  app.add_flag("--json", options.json, "print a JSON object for each host");
  app.footer(
      "Exit status: 0 all hosts that answered are done, 1 at least one host is not done or "
      "failed,\n"
      "2 invalid usage, 3 no host answers, or the server cannot be used.");
  if (const auto status = parse_command_line(app, argc, argv)) return *status;
  end_by_signals();
  return snapshot(options);
}

}  // namespace

int main(int argc, char** argv) {
  if (!tool::occupy_standard_descriptors()) return kFleetFailed;
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    say(error.what());
    return kFleetFailed;
  }
}
