// ringsink: keeps the traces of a fleet as trace files.

#include <exception>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/fleet/file_delivery.hpp"
#include "tools/fleet/file_sink.hpp"
#include "tools/fleet/fleet_metrics.hpp"
#include "tools/fleet/fleet_process.hpp"
#include "tools/fleet/nats_connection.hpp"
#include "tools/fleet/nats_delivery_queue.hpp"
#include "tools/text/help_format.hpp"
#include "tools/text/standard_descriptors.hpp"

namespace {

using namespace ringside::fleet;

constexpr const char* kProgram = "ringsink";
constexpr int kStepMs = 200;

struct SinkOptions {
  NatsOptions nats;
  DeliveryOptions delivery{.consumer = "ringsink"};
  std::string output;
  std::string metrics;
  std::uint64_t idle_s = 0;
};

void say(const std::string& text) {
  complain(kProgram, text);
}

std::vector<FleetMetric> metrics_of(const FileSinkCounts& counts, bool is_connected) {
  using Type = FleetMetric::Type;
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  return {
      {"ringside_sink_connected", "Whether ringsink is connected to a NATS server", Type::kGauge,
       is_connected ? 1.0 : 0.0},
      {"ringside_sink_messages_total", "Messages that were written or known before", Type::kCounter,
       number(counts.messages)},
      {"ringside_sink_extents_total", "Extents that were written", Type::kCounter,
       number(counts.extents)},
      {"ringside_sink_repeated_extents_total", "Extents that came again and were left out",
       Type::kCounter, number(counts.repeated_extents)},
      {"ringside_sink_refused_messages_total", "Messages that were refused as invalid",
       Type::kCounter, number(counts.refused)},
      {"ringside_sink_written_bytes_total", "Bytes written to files", Type::kCounter,
       number(counts.bytes)},
  };
}

int sink(const SinkOptions& options) {
  std::string why;
  const auto failed = [&why] {
    say(why);
    return kFleetFailed;
  };
  std::unique_ptr<FleetMetrics> metrics;
  if (!options.metrics.empty()) {
    metrics = FleetMetrics::open(options.metrics, &why);
    if (metrics == nullptr) return failed();
  }
  const auto connection = NatsConnection::open(options.nats, &why);
  if (connection == nullptr) return failed();
  const auto queue = NatsDeliveryQueue::open(*connection, options.delivery, &why);
  if (queue == nullptr) return failed();
  const auto files = FileSink::open(
      options.output,
      [&queue](std::string_view key, Bytes& contents) {
        return queue->fetch_contents(key, contents);
      },
      &why);
  if (files == nullptr) return failed();
  FileDelivery delivery({}, *queue, *files, monotonic_ms, say);
  std::uint64_t taken = 0;
  std::uint64_t since_ms = monotonic_ms();
  while (!is_asked_to_end() && !connection->is_closed()) {
    if (!delivery.step(kStepMs)) return kFleetFailed;
    if (metrics) metrics->update(metrics_of(files->counts(), connection->is_connected()));
    if (files->counts().messages != taken) since_ms = monotonic_ms();
    taken = files->counts().messages;
    if (options.idle_s != 0 && monotonic_ms() - since_ms >= 1000 * options.idle_s) break;
  }
  const bool is_durable = delivery.sync();
  const FileSinkCounts& counts = files->counts();
  say(fmt::format("{} messages, {} extents, {} of them again, {} messages refused", counts.messages,
                  counts.extents, counts.repeated_extents, counts.refused));
  return is_durable && !connection->is_closed() ? kFleetOk : kFleetFailed;
}

int run(int argc, char** argv) {
  SinkOptions options;
  CLI::App app(
      "Keeps the traces that ringship sends to a NATS server as trace files, one folder "
      "for each host.",
      kProgram);
  ringside::tool::set_help_format(app);
  app.set_version_flag("--version", std::string("ringsink ") + RINGSIDE_VERSION);
  add_nats_options(app, options.nats);
  app.add_option("--output", options.output, "directory of the files")
      ->type_name("DIR")
      ->required();
  app.add_option("--consumer", options.delivery.consumer,
                 "name of the durable consumer; one directory has one")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--filter", options.delivery.filter, "subjects, such as rs.ext.*.host7.>")
      ->type_name("SUBJECTS")
      ->capture_default_str();
  app.add_option("--ack-wait-ms", options.delivery.ack_wait_ms,
                 "after this time, a message that was not acknowledged comes again")
      ->type_name("MS")
      ->capture_default_str();
  app.add_option("--metrics", options.metrics,
                 "serve metrics for Prometheus at this address, such as 127.0.0.1:9467 (/metrics)")
      ->type_name("ADDRESS:PORT");
  app.add_option("--until-idle-s", options.idle_s,
                 "end after this time without a message; 0: never")
      ->type_name("S");
  app.footer(
      "Exit status: 0 success, also after SIGTERM, 2 invalid usage, 3 it cannot go on: the disk\n"
      "failed, or the server refused the connection.");
  if (const auto status = parse_command_line(app, argc, argv)) return *status;
  end_by_signals();
  return sink(options);
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
