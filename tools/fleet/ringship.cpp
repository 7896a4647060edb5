// ringship: sends the traces of this host to a NATS server.

#include <exception>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/fleet/fleet_process.hpp"
#include "tools/fleet/fleet_streams.hpp"
#include "tools/fleet/nats_connection.hpp"
#include "tools/fleet/nats_publish_queue.hpp"
#include "tools/fleet/shipper.hpp"
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

int ship(const ShipOptions& options) {
  std::string why;
  const auto cursors = CursorStore::open(options.state_directory, &why);
  if (!cursors) {
    say(why);
    return kFleetFailed;
  }
  const auto connection = connect(options.nats, options.once);
  if (connection == nullptr) return is_asked_to_end() ? kFleetOk : kFleetFailed;
  const auto queue = NatsPublishQueue::open(*connection, &why);
  if (queue == nullptr) {
    say(why);
    return kFleetFailed;
  }
  TraceSegments segments(options.paths);
  ShipperOptions shipper_options = options.shipper;
  shipper_options.tenant = options.nats.tenant;
  Shipper shipper(shipper_options, segments, *queue, *cursors, monotonic_ms, say);
  while (!is_asked_to_end() && !connection->is_closed()) {
    shipper.step(kStepMs);
    if (options.once && shipper.is_done()) break;
    if (shipper.is_waiting()) usleep(kStepMs * 1000);
  }
  const ShipperCounts& counts = shipper.counts();
  say(fmt::format("{} records in {} messages, {} bytes", counts.records, counts.messages,
                  counts.bytes));
  if (connection->is_closed()) say("the server refuses the credentials; correct them");
  return connection->is_closed() || counts.refused != 0 ? kFleetFailed : kFleetOk;
}

int run(int argc, char** argv) {
  ShipOptions options;
  CLI::App app(
      "Sends the trace files of this host to a NATS server with JetStream, while they "
      "grow. `ringship init` creates the streams.",
      kProgram);
  ringside::tool::set_help_format(app);
  app.set_version_flag("--version", std::string("ringship ") + RINGSIDE_VERSION);
  add_nats_options(app, options.nats);
  app.add_option("paths", options.paths, "directories of trace files, or single files");
  app.add_option(
      "--state", options.state_directory,
      "directory that remembers what is sent; default: .ringship in the first directory");
  app.add_option("--linger-ms", options.shipper.linger_ms,
                 "wait this long for more records before a message that is not full")
      ->check(CLI::Range(10, 600'000))
      ->capture_default_str();
  app.add_option("--zstd-level", options.shipper.level,
                 "compression of messages; 1 takes less processor time, 19 fewer bytes")
      ->check(CLI::Range(1, 19))
      ->capture_default_str();
  app.add_flag("--once", options.once, "send what there is, then end");
  CLI::App* const streams = app.add_subcommand("init", "create or update the streams");
  streams->add_option("--max-age-s", options.streams.max_age_s, "of messages; 0: unlimited");
  streams->add_option("--max-bytes", options.streams.max_bytes, "of messages; -1: unlimited");
  streams->add_option("--replicas", options.streams.replicas, "servers that store each message");
  streams->fallthrough();
  if (const auto status = parse_command_line(app, argc, argv)) return *status;
  end_by_signals();
  if (streams->parsed()) return init(options);
  if (options.paths.empty()) {
    say("name a directory of trace files; ringship --help tells more");
    return kFleetUsage;
  }
  if (options.state_directory.empty())
    options.state_directory = options.paths.front() + "/.ringship";
  return ship(options);
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
