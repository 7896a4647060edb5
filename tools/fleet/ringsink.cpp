// ringsink: keeps the traces of a fleet as trace files, or as rows in ClickHouse.

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/fleet/clickhouse_delivery.hpp"
#include "tools/fleet/clickhouse_schema.hpp"
#include "tools/fleet/file_delivery.hpp"
#include "tools/fleet/file_sink.hpp"
#include "tools/fleet/fleet_metrics.hpp"
#include "tools/fleet/fleet_process.hpp"
#include "tools/fleet/nats_connection.hpp"
#include "tools/fleet/nats_delivery_queue.hpp"
#include "tools/fleet/sink_directory.hpp"
#include "tools/fleet/sink_metrics.hpp"
#include "tools/text/help_format.hpp"
#include "tools/text/standard_descriptors.hpp"

namespace {

using namespace ringside::fleet;

constexpr const char* kProgram = "ringsink";
constexpr int kStepMs = 200;
constexpr int kConnectMs = 1000;  // between two attempts
constexpr std::uint64_t kFinishMs = 10'000;
constexpr int kMostUnacknowledged = 4096;
constexpr int kFetchedMessages = 64;
constexpr int kMostKeptDays = 10'000;

struct SinkOptions {
  NatsOptions nats;
  DeliveryOptions delivery;
  std::string output;
  bool takes_over = false;
  ClickHouseOptions clickhouse;
  ClickHouseDeliveryOptions rows;
  SchemaOptions schema;
  std::uint64_t dictionary_patience_s = 120;
  std::string metrics;
  std::uint64_t idle_s = 0;
};

void say(const std::string& text) {
  complain(kProgram, text);
}

// Whether no message came for the time after which the process shall end.
class Idleness {
 public:
  explicit Idleness(std::uint64_t bound_s) : bound_ms_(1000 * bound_s) {}

  bool is_over(std::uint64_t messages) {
    if (messages != messages_) since_ms_ = monotonic_ms();
    messages_ = messages;
    return bound_ms_ != 0 && monotonic_ms() - since_ms_ >= bound_ms_;
  }

 private:
  std::uint64_t bound_ms_;
  std::uint64_t messages_ = 0;
  std::uint64_t since_ms_ = monotonic_ms();
};

enum class Attempt : std::uint8_t { kDone, kLater, kNever };

// Repeats the attempt until it is done. False if that will not be, after the time of
// --until-idle-s, or if the process shall end.
bool wait_until_done(const SinkOptions& options,
                     const std::function<Attempt(std::string* why)>& attempt) {
  const std::uint64_t begin_ms = monotonic_ms();
  std::string said;
  while (!is_asked_to_end()) {
    std::string why;
    const Attempt result = attempt(&why);
    if (result == Attempt::kDone) return true;
    if (why != said) say(why);
    const bool is_over = options.idle_s != 0 && monotonic_ms() - begin_ms >= 1000 * options.idle_s;
    if (result == Attempt::kNever || is_over) return false;
    said = why;
    usleep(kConnectMs * 1000);
  }
  return false;
}

// False with `*why` if it cannot serve. Without an address, nothing is served.
bool serve_metrics(const SinkOptions& options, std::unique_ptr<FleetMetrics>& metrics,
                   std::string* why) {
  if (options.metrics.empty()) return true;
  metrics = FleetMetrics::open(options.metrics, why);
  return metrics != nullptr;
}

struct Source {
  std::unique_ptr<NatsConnection> connection;
  std::unique_ptr<NatsDeliveryQueue> queue;
};

Attempt open_source(const SinkOptions& options, const SinkDirectory* directory, Source& source,
                    std::string* why) {
  source = {};
  source.connection = NatsConnection::open(options.nats, why);
  if (source.connection == nullptr) return Attempt::kLater;
  if (directory != nullptr) {
    const auto claim =
        directory->claim(*source.connection, options.delivery.consumer, options.takes_over, why);
    if (claim == SinkDirectory::Claim::kOther) return Attempt::kNever;
    if (claim != SinkDirectory::Claim::kYes) return Attempt::kLater;
  }
  source.queue = NatsDeliveryQueue::open(*source.connection, options.delivery, why);
  return source.queue != nullptr ? Attempt::kDone : Attempt::kLater;
}

int sink_to_files(const SinkOptions& options) {
  std::string why;
  const auto failed = [&why] {
    say(why);
    return kFleetFailed;
  };
  std::unique_ptr<FleetMetrics> metrics;
  if (!serve_metrics(options, metrics, &why)) return failed();
  if (metrics) metrics->update(metrics_of(FileSinkCounts{}, false));
  const auto directory = SinkDirectory::open(options.output, &why);
  if (!directory) return failed();
  Source source;
  if (!wait_until_done(options, [&](std::string* reason) {
        return open_source(options, &*directory, source, reason);
      }))
    return is_asked_to_end() ? kFleetOk : kFleetFailed;
  const auto& [connection, queue] = source;
  const auto files = FileSink::open(
      options.output,
      [&queue = source.queue](std::string_view key, Bytes& contents) {
        return queue->fetch_contents(key, contents);
      },
      &why);
  if (files == nullptr) return failed();
  FileDelivery delivery({}, *queue, *files, monotonic_ms, say);
  Idleness idleness(options.idle_s);
  while (!is_asked_to_end() && !connection->is_closed()) {
    if (!delivery.step(kStepMs)) return kFleetFailed;
    if (metrics) metrics->update(metrics_of(files->counts(), connection->is_connected()));
    if (idleness.is_over(files->counts().messages)) break;
  }
  const bool is_durable = delivery.sync();
  const FileSinkCounts& counts = files->counts();
  say(fmt::format("{} messages, {} extents, {} of them again, {} messages refused", counts.messages,
                  counts.extents, counts.repeated_extents, counts.refused));
  return is_durable && !connection->is_closed() ? kFleetOk : kFleetFailed;
}

int sink_to_clickhouse(const SinkOptions& options) {
  std::string why;
  const auto failed = [&why] {
    say(why);
    return kFleetFailed;
  };
  std::unique_ptr<FleetMetrics> metrics;
  if (!serve_metrics(options, metrics, &why)) return failed();
  if (metrics) metrics->update(metrics_of(MessageRowCounts{}, {}, false));
  const auto client = ClickHouseClient::open(options.clickhouse, &why);
  if (client == nullptr) return failed();
  ClickHouseServer server;
  const auto find_tables = [&](std::string* reason) {
    ClickHouseAnswer answer = examine_server(*client, server);
    if (answer.is_ok()) answer = check_schema(*client);
    if (answer.is_ok()) return Attempt::kDone;
    *reason = answer.why;
    return answer.status == ClickHouseAnswer::Status::kRefused ? Attempt::kNever : Attempt::kLater;
  };
  Source source;
  if (!wait_until_done(options, find_tables) || !wait_until_done(options, [&](std::string* reason) {
        return open_source(options, nullptr, source, reason);
      }))
    return is_asked_to_end() ? kFleetOk : kFleetFailed;
  const auto& [connection, queue] = source;
  ClickHouseInserter inserter(*client, server, say);
  ClickHouseDelivery delivery(options.rows, *queue, inserter, monotonic_ms, say);
  Idleness idleness(options.idle_s);
  bool is_sound = true;
  while (is_sound && !is_asked_to_end() && !connection->is_closed()) {
    is_sound = delivery.step(kStepMs);
    if (metrics)
      metrics->update(
          metrics_of(delivery.row_counts(), delivery.counts(), connection->is_connected()));
    if (idleness.is_over(delivery.row_counts().messages)) break;
  }
  if (is_sound && !delivery.finish(kFinishMs)) {
    say("rows could not be inserted in time; their messages come again to the next ringsink");
    is_sound = false;
  }
  const MessageRowCounts& counts = delivery.row_counts();
  say(fmt::format(
      "{} messages, {} records in {} batches, {} extents, {} of them again, {} "
      "messages refused",
      counts.messages, counts.records, delivery.counts().batches,
      counts.extents + counts.repeated_extents, counts.repeated_extents, counts.refused));
  return is_sound && !connection->is_closed() ? kFleetOk : kFleetFailed;
}

int init(const SinkOptions& options) {
  std::string why;
  const auto client = ClickHouseClient::open(options.clickhouse, &why);
  if (client != nullptr &&
      prepare_schema(*client, options.clickhouse.database, options.schema, &why))
    return kFleetOk;
  say(why);
  return kFleetFailed;
}

int run(int argc, char** argv) {
  SinkOptions options;
  CLI::App app(
      "Keeps the traces that ringship sends to a NATS server: as trace files, one folder for "
      "each host, or as rows in ClickHouse. `ringsink init` creates the tables.",
      kProgram);
  ringside::tool::set_help_format(app);
  app.set_version_flag("--version", std::string("ringsink ") + RINGSIDE_VERSION);
  add_nats_options(app, options.nats);
  app.add_option("--output", options.output, "directory of the files")->type_name("DIR");
  add_clickhouse_options(app, options.clickhouse);
  app.add_option("--batch-rows", options.rows.batch_rows, "insert after about this many rows")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--flush-ms", options.rows.flush_ms, "insert rows after this time at the latest")
      ->type_name("MS")
      ->capture_default_str();
  app.add_flag(
      "--take-over", options.takes_over,
      "use this directory for the consumer, whose directory is lost; what was acknowledged is not "
      "sent again");
  app.add_option("--dictionary-patience-s", options.dictionary_patience_s,
                 "with --clickhouse: refuse a message whose dictionary is missing for this time")
      ->capture_default_str();
  app.add_option("--consumer", options.delivery.consumer,
                 "name of the durable consumer; a directory has its own, processes that insert "
                 "into the same database share one; default: ringsink, or ringsink_clickhouse");
  app.add_option("--filter", options.delivery.filter,
                 "receive these subjects only, such as rs.ext.*.host7.>")
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
                 "end after this time without a message, or without a server")
      ->type_name("S");
  CLI::App* const tables = app.add_subcommand("init", "create or update the tables of ClickHouse");
  ringside::tool::set_help_format(*tables);
  tables->footer(
      "Exit status: 0 success, 2 invalid usage, 3 no connection, or the server refused the "
      "change.");
  tables
      ->add_option("--keep-days", options.schema.keep_days,
                   "remove rows that are older; 0: keep all; default: do not change this")
      ->type_name("DAYS")
      ->check(CLI::Range(0, kMostKeptDays));
  tables
      ->add_option("--schema", options.schema.version, "version of the tables; default: the latest")
      ->type_name("N");
  tables->fallthrough();
  app.footer(
      "Subcommands (see ringsink NAME --help):\n"
      "  init        create or update the tables of ClickHouse\n"
      "\n"
      "Exit status: 0 success, also after SIGTERM, 2 invalid usage, 3 ringsink cannot go on: the\n"
      "disk failed, the consumer belongs to another directory, or a server cannot be used.");
  if (const auto status = parse_command_line(app, argc, argv)) return *status;
  if (options.output.empty() == options.clickhouse.url.empty()) {
    say("give either --output DIR or --clickhouse URL; see ringsink --help");
    return kFleetUsage;
  }
  if (options.takes_over && options.output.empty()) {
    say("--take-over is for --output: processes that insert into ClickHouse share a consumer");
    return kFleetUsage;
  }
  if (tables->parsed() && options.clickhouse.url.empty()) {
    say("'init' needs --clickhouse URL: it creates tables");
    return kFleetUsage;
  }
  if (options.delivery.consumer.empty())
    options.delivery.consumer = options.output.empty() ? "ringsink_clickhouse" : "ringsink";
  options.rows.patience_ms = 1000 * options.dictionary_patience_s;
  end_by_signals();
  if (tables->parsed()) return init(options);
  if (!options.output.empty()) return sink_to_files(options);
  // Rows are kept instead of messages: many of these can wait for one insertion.
  options.delivery.most_unacknowledged = kMostUnacknowledged;
  options.delivery.batch = kFetchedMessages;
  return sink_to_clickhouse(options);
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
