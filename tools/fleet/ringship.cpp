// ringship: sends the traces of this host to a NATS server.

#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/fleet/fleet_metrics.hpp"
#include "tools/fleet/fleet_process.hpp"
#include "tools/fleet/fleet_streams.hpp"
#include "tools/fleet/host_name.hpp"
#include "tools/fleet/nats_connection.hpp"
#include "tools/fleet/record_selection.hpp"
#include "tools/fleet/ship_service.hpp"
#include "tools/fleet/shipper_report.hpp"
#include "tools/query/filter_options.hpp"
#include "tools/text/help_format.hpp"
#include "tools/text/standard_descriptors.hpp"

namespace {

using namespace ringside::fleet;

constexpr const char* kProgram = "ringship";
constexpr int kStepMs = 50;
constexpr int kConnectMs = 1000;  // between two attempts

struct ShipOptions {
  NatsOptions nats;
  FleetStreamOptions streams;
  ShipperOptions shipper;
  std::vector<std::string> paths;
  std::string state_directory;
  std::string shm_dir = "/dev/shm";
  std::string host = host_name();
  bool on_request = false;
  std::uint64_t most_bytes_per_s = 0;
  ringside::tool::FilterOptions filter;
  std::string metrics;
  bool once = false;
};

void say(const std::string& text) {
  complain(kProgram, text);
}

// Tries until a server accepts the connection. Null if the process shall end.
std::unique_ptr<NatsConnection> connect(const NatsOptions& options, bool tries_once) {
  std::string said;
  while (!is_asked_to_end()) {
    std::string why;
    auto connection = NatsConnection::open(options, &why);
    if (connection != nullptr) return connection;
    if (why != said) say(why);
    if (tries_once) return nullptr;
    said = why;
    usleep(kConnectMs * 1000);
  }
  return nullptr;
}

int init(const ShipOptions& options) {
  const auto connection = connect(options.nats, true);
  if (connection == nullptr) return kFleetFailed;
  std::string why;
  if (prepare_fleet_streams(*connection, options.streams, &why)) return kFleetOk;
  say(why);
  return kFleetFailed;
}

ShipServiceOptions service_options(const ShipOptions& options, const RecordSelection& selection) {
  ShipServiceOptions service;
  service.paths = options.paths;
  service.state_directory = options.state_directory;
  service.shm_dir = options.shm_dir;
  service.tenant = options.nats.tenant;
  service.host = options.host;
  service.on_request = options.on_request;
  service.most_bytes_per_s = options.most_bytes_per_s;
  service.shipper = options.shipper;
  if (!options.filter.level.empty() || !options.filter.where.empty())
    service.shipper.selection = &selection;
  return service;
}

int ship(const ShipOptions& options, const RecordSelection& selection) {
  std::string why;
  std::unique_ptr<FleetMetrics> metrics;
  if (!options.metrics.empty()) {
    metrics = FleetMetrics::open(options.metrics, &why);
    if (metrics == nullptr) {
      say(why);
      return kFleetFailed;
    }
  }
  const auto connection = connect(options.nats, options.once);
  if (connection == nullptr) return is_asked_to_end() ? kFleetOk : kFleetFailed;
  const auto service =
      ShipService::open(service_options(options, selection), *connection, say, &why);
  if (service == nullptr) {
    say(why);
    return kFleetFailed;
  }
  ShipperReport report(*connection, service->shipper(), service->segments(), options.nats.tenant,
                       options.host, RINGSIDE_VERSION, metrics.get());
  while (!is_asked_to_end() && !connection->is_closed()) {
    service->step(kStepMs);
    report.step(monotonic_ms(), service->snapshots());
    if (options.once && service->is_done()) break;
    if (service->is_waiting()) usleep(kStepMs * 1000);
  }
  report.publish();
  const ShipperCounts& counts = service->counts();
  say(fmt::format("{} records in {} messages, {} bytes; {} snapshots", counts.records,
                  counts.messages, counts.bytes, service->snapshots()));
  if (connection->is_closed())
    say("the server refuses the credentials; correct --creds, --nkey or the password of --server, "
        "and "
        "start ringship again");
  return connection->is_closed() || counts.refused != 0 ? kFleetFailed : kFleetOk;
}

int run(int argc, char** argv) {
  ShipOptions options;
  CLI::App app(
      "Sends the trace files of this host to a NATS server with JetStream, while they "
      "grow.",
      kProgram);
  ringside::tool::set_help_format(app);
  app.set_version_flag("--version", std::string("ringship ") + RINGSIDE_VERSION);
  add_nats_options(app, options.nats);
  app.add_option("PATH", options.paths, "directories of trace files, or single files");
  app.add_option(
         "--state", options.state_directory,
         "directory that remembers what was sent; default: .ringship in the first directory")
      ->type_name("DIR");
  app.add_option("--level", options.filter.level, "send records of this level and above")
      ->type_name("LEVEL");
  app.add_option("--filter", options.filter.where,
                 "send records that meet this condition, in the language of ringcat --where")
      ->type_name("CONDITION");
  app.add_option("--max-bytes-per-s", options.most_bytes_per_s,
                 "send at most this many bytes per second; 0: unlimited")
      ->type_name("BYTES")
      ->check(CLI::Range(std::uint64_t{0}, ringside::fleet::Bandwidth::kMostBytesPerS));
  app.add_option("--shm-dir", options.shm_dir,
                 "directory of the segments, for snapshots of flight recorders; default: "
                 "RINGSIDE_SHM_DIR")
      ->type_name("DIR")
      ->capture_default_str();
  // Where services with the same environment create them.
  const char* const shm_dir =
      std::getenv("RINGSIDE_SHM_DIR");  // NOLINT(concurrency-mt-unsafe): before any thread
  if (shm_dir != nullptr && *shm_dir != '\0') options.shm_dir = shm_dir;
  app.add_option("--host", options.host, "name of this host in requests and its status")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_flag("--on-request", options.on_request,
               "send nothing but the snapshots that ringctl fleet snapshot requests");
  app.add_option("--linger-ms", options.shipper.linger_ms,
                 "wait this long for more records before a message that is not full")
      ->type_name("MS")
      ->check(CLI::Range(10, 600'000))
      ->capture_default_str();
  app.add_option("--zstd-level", options.shipper.level,
                 "compression of messages; 1 takes less processor time, 19 fewer bytes")
      ->type_name("LEVEL")
      ->check(CLI::Range(1, 19))
      ->capture_default_str();
  app.add_flag("--once", options.once, "send the files as they are now, then end");
  app.add_option("--metrics", options.metrics,
                 "serve metrics for Prometheus at this address, such as 127.0.0.1:9466 (/metrics)")
      ->type_name("ADDRESS:PORT");
  CLI::App* const streams =
      app.add_subcommand("init", "create or update the streams and the bucket of a fleet");
  ringside::tool::set_help_format(*streams);
  streams
      ->add_option("--max-age-s", options.streams.max_age_s,
                   "delete messages that are older; 0: never")
      ->capture_default_str();
  streams
      ->add_option("--max-bytes", options.streams.max_bytes,
                   "delete the oldest messages beyond this size; -1: unlimited")
      ->capture_default_str();
  streams
      ->add_option("--replicas", options.streams.replicas,
                   "number of servers of a cluster that store each message")
      ->capture_default_str();
  streams->fallthrough();
  streams->footer(
      "Exit status: 0 success, 2 invalid usage, 3 no connection, or the server refused the "
      "change.");
  app.footer(
      "Subcommands (see ringship NAME --help):\n"
      "  init        create or update the streams and the bucket of a fleet\n"
      "\n"
      "Exit status: 0 success, also after SIGTERM, 2 invalid usage, 3 ringship cannot go on, or\n"
      "the server refused a message.");
  if (const auto status = parse_command_line(app, argc, argv)) return *status;
  end_by_signals();
  if (streams->parsed()) return init(options);
  if (options.paths.empty()) {
    say("missing directory of trace files; see ringship --help");
    return kFleetUsage;
  }
  if (options.state_directory.empty())
    options.state_directory = options.paths.front() + "/.ringship";
  std::string why;
  const auto selection = RecordSelection::make(options.filter, {}, &why);
  if (selection != nullptr) return ship(options, *selection);
  // The option has another name here.
  say(why.starts_with("--where") ? "--filter" + why.substr(std::string("--where").size()) : why);
  return kFleetUsage;
}

}  // namespace

int main(int argc, char** argv) {
  if (!ringside::tool::occupy_standard_descriptors()) return kFleetFailed;
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    say(error.what());
    return kFleetFailed;
  }
}
