// ringsink: keeps the traces of a fleet as trace files.

#include <exception>
#include <memory>
#include <string>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/fleet/file_delivery.hpp"
#include "tools/fleet/file_sink.hpp"
#include "tools/fleet/fleet_process.hpp"
#include "tools/fleet/nats_connection.hpp"
#include "tools/fleet/nats_delivery_queue.hpp"
#include "tools/fleet/sink_directory.hpp"
#include "tools/text/help_format.hpp"
#include "tools/text/standard_descriptors.hpp"

namespace {

using namespace ringside::fleet;

constexpr const char* kProgram = "ringsink";
constexpr int kStepMs = 200;
constexpr int kConnectMs = 1000;  // between two attempts

struct SinkOptions {
  NatsOptions nats;
  DeliveryOptions delivery{.consumer = "ringsink"};
  std::string output;
  bool takes_over = false;
  std::uint64_t idle_s = 0;
};

void say(const std::string& text) {
  complain(kProgram, text);
}

struct Source {
  std::unique_ptr<NatsConnection> connection;
  std::unique_ptr<NatsDeliveryQueue> queue;
  bool can_try_again = true;  // if there is no queue
};

Source open_source(const SinkOptions& options, const SinkDirectory& directory, std::string* why) {
  Source source;
  source.connection = NatsConnection::open(options.nats, why);
  if (source.connection == nullptr) return source;
  const auto claim =
      directory.claim(*source.connection, options.delivery.consumer, options.takes_over, why);
  source.can_try_again = claim != SinkDirectory::Claim::kOther;
  if (claim == SinkDirectory::Claim::kYes)
    source.queue = NatsDeliveryQueue::open(*source.connection, options.delivery, why);
  return source;
}

// Tries until the server delivers. No queue if the process shall end.
Source wait_for_source(const SinkOptions& options, const SinkDirectory& directory) {
  std::string said;
  while (!is_asked_to_end()) {
    std::string why;
    Source source = open_source(options, directory, &why);
    if (source.queue != nullptr) return source;
    if (why != said) say(why);
    if (!source.can_try_again || options.idle_s != 0) return source;
    said = why;
    usleep(kConnectMs * 1000);
  }
  return {};
}

int sink(const SinkOptions& options) {
  std::string why;
  const auto failed = [&why] {
    say(why);
    return kFleetFailed;
  };
  const auto directory = SinkDirectory::open(options.output, &why);
  if (!directory) return failed();
  const Source source = wait_for_source(options, *directory);
  const auto& [connection, queue, ignored] = source;
  if (queue == nullptr) return is_asked_to_end() ? kFleetOk : kFleetFailed;
  const auto files = FileSink::open(
      options.output,
      [&queue = source.queue](std::string_view key, Bytes& contents) {
        return queue->fetch_contents(key, contents);
      },
      &why);
  if (files == nullptr) return failed();
  FileDelivery delivery({}, *queue, *files, monotonic_ms, say);
  std::uint64_t taken = 0;
  std::uint64_t since_ms = monotonic_ms();
  while (!is_asked_to_end() && !connection->is_closed()) {
    if (!delivery.step(kStepMs)) return kFleetFailed;
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
  app.add_option("--output", options.output, "directory of the files")->required();
  app.add_option("--consumer", options.delivery.consumer,
                 "name of the durable consumer; one directory has one")
      ->capture_default_str();
  app.add_flag("--take-over", options.takes_over,
               "use this directory although the consumer has another one, which is gone");
  app.add_option("--filter", options.delivery.filter, "subjects, such as rs.ext.*.host7.>")
      ->capture_default_str();
  app.add_option("--ack-wait-ms", options.delivery.ack_wait_ms,
                 "after this time, a message that was not acknowledged comes again")
      ->capture_default_str();
  app.add_option("--until-idle-s", options.idle_s,
                 "end after this time without a message, or if the server does not answer at once");
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
