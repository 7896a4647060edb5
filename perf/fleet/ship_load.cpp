// Many shippers in one process, each with the files of a host of its own, through a real
// nats-server into its files: how many records a second are stored.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <unordered_map>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/resource.h>

#include "perf/compression/mix_trace.hpp"
#include "perf/compression/trace_maker.hpp"
#include "perf/ringside/temporary_directory.hpp"
#include "tests/fleet/nats_server.hpp"
#include "tools/fleet/fleet_streams.hpp"
#include "tools/fleet/nats_connection.hpp"
#include "tools/fleet/nats_publish_queue.hpp"
#include "tools/fleet/shipper.hpp"
#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/block_writer.hpp"

namespace {

using namespace ringside;
using namespace ringside::fleet;
using Clock = std::chrono::steady_clock;

struct LoadOptions {
  unsigned shippers = 1000;
  unsigned threads = 2;
  std::uint64_t records = 100'000;  // of each shipper
  std::string trace;                // replayed instead of the mix
  int level = 3;
  std::size_t message_kib = 512;
  std::string written_trace;
};

std::uint64_t now_ms() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch())
          .count());
}

double milliseconds_since(Clock::time_point then) {
  return std::chrono::duration<double, std::milli>(Clock::now() - then).count();
}

// Measures how long each message takes until it is stored.
class TimedQueue final : public PublishQueue {
 public:
  explicit TimedQueue(std::unique_ptr<NatsPublishQueue> queue) : queue_(std::move(queue)) {}

  void publish(std::uint64_t token, OutgoingMessage message) override {
    begun_[token] = Clock::now();
    queue_->publish(token, std::move(message));
  }
  std::optional<PublishResult> result(int timeout_ms) override {
    auto result = queue_->result(timeout_ms);
    if (result && result->status == PublishStatus::kStored)
      latencies_ms.push_back(milliseconds_since(begun_[result->token]));
    if (result) begun_.erase(result->token);
    return result;
  }
  Found last_of(const std::string& subject, StoredMessage& message) override {
    return queue_->last_of(subject, message);
  }
  std::size_t most_payload_bytes() const override { return queue_->most_payload_bytes(); }
  bool store_contents(std::string_view key, const fleet::Bytes& contents) override {
    return queue_->store_contents(key, contents);
  }

  std::vector<double> latencies_ms;

 private:
  std::unique_ptr<NatsPublishQueue> queue_;
  std::unordered_map<std::uint64_t, Clock::time_point> begun_;
};

// The trace as that of another host.
void write_copy(const std::string& directory, unsigned number, const perf::Bytes& trace) {
  std::filesystem::create_directories(directory);
  trace::BlockFrame frame;
  trace::SectionHeader header;
  if (!trace::parse_block_frame(trace, frame) ||
      !trace::SectionHeader::parse(
          std::span(trace).subspan(trace::kBlockHeaderBytes, frame.payload_bytes), header)) {
    throw std::runtime_error("the trace has no header");
  }
  const std::string host = fmt::format("host{}", number);
  header.host = host;
  header.uuid = {};
  header.uuid[0] = static_cast<std::uint8_t>(number);
  header.uuid[1] = static_cast<std::uint8_t>(number >> 8);
  std::vector<std::byte> begin(4096);
  begin.resize(trace::write_header_block(header, begin));
  std::ofstream file(directory + "/service.1.s.0.ringtrace", std::ios::binary);
  file.write(reinterpret_cast<const char*>(begin.data()),
             static_cast<std::streamsize>(begin.size()));
  file.write(reinterpret_cast<const char*>(trace.data() + frame.block_bytes()),
             static_cast<std::streamsize>(trace.size() - frame.block_bytes()));
}

perf::Bytes trace_to_replay(const LoadOptions& options) {
  if (options.trace.empty()) {
    perf::TraceMaker maker;
    perf::add_mix(maker, options.records);
    return maker.finish();
  }
  std::ifstream file(options.trace, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

struct OneShipper {
  OneShipper(const std::string& directory, NatsConnection& connection, const LoadOptions& options)
      : segments({directory}),
        cursors(*CursorStore::open(directory + "/state", &why)),
        queue(NatsPublishQueue::open(connection, &why)),
        shipper({.level = options.level, .message_bytes = options.message_kib << 10}, segments,
                queue, cursors, now_ms,
                [](const std::string& text) { fmt::print(stderr, "{}\n", text); }) {}

  std::string why;
  TraceSegments segments;
  CursorStore cursors;
  TimedQueue queue;
  Shipper shipper;
};

struct Totals {
  std::mutex mutex;
  ShipperCounts counts;
  std::vector<double> latencies_ms;
};

// The shippers of one thread, in turns, on one connection.
void ship(const std::string& directory, unsigned first, unsigned last, const std::string& url,
          const LoadOptions& options, Totals& totals) {
  NatsOptions nats;
  nats.servers = url;
  nats.request_timeout_ms = 60'000;
  std::string why;
  const auto connection = NatsConnection::open(nats, &why);
  if (connection == nullptr) throw std::runtime_error(why);
  std::vector<std::unique_ptr<OneShipper>> shippers;
  for (unsigned i = first; i < last; ++i) {
    shippers.push_back(
        std::make_unique<OneShipper>(fmt::format("{}/{}", directory, i), *connection, options));
  }
  for (bool is_done = false; !is_done;) {
    is_done = true;
    for (const auto& each : shippers) {
      if (each->shipper.is_done()) continue;
      each->shipper.step(0);
      is_done = false;
    }
  }
  const std::lock_guard lock(totals.mutex);
  for (const auto& each : shippers) {
    const ShipperCounts& counts = each->shipper.counts();
    totals.counts.records += counts.records;
    totals.counts.bytes += counts.bytes;
    totals.counts.messages += counts.messages;
    totals.counts.failures += counts.failures;
    totals.counts.refused += counts.refused;
    totals.latencies_ms.insert(totals.latencies_ms.end(), each->queue.latencies_ms.begin(),
                               each->queue.latencies_ms.end());
  }
}

std::uint64_t peak_kib(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  std::string word;
  while (status >> word) {
    std::uint64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib;
  }
  return 0;
}

double processor_seconds(pid_t process) {
  std::ifstream stat(fmt::format("/proc/{}/stat", process));
  std::string text;
  std::getline(stat, text);
  std::istringstream rest(text.substr(text.rfind(')') + 2));
  std::string word;
  for (int field = 3; field < 14; ++field) rest >> word;
  double user = 0;
  double system = 0;
  rest >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double percentile(std::vector<double>& values, double part) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(static_cast<double>(values.size() - 1) * part);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

int run(const LoadOptions& options) {
  const perf::TemporaryDirectory directory("/dev/shm");
  const perf::Bytes trace = trace_to_replay(options);
  if (!options.written_trace.empty()) {
    std::ofstream(options.written_trace, std::ios::binary)
        .write(reinterpret_cast<const char*>(trace.data()),
               static_cast<std::streamsize>(trace.size()));
  }
  for (unsigned i = 0; i < options.shippers; ++i)
    write_copy(fmt::format("{}/{}", directory.path(), i), i, trace);
  const test::NatsServer server;
  std::string why;
  NatsOptions nats;
  nats.servers = server.url();
  const auto connection = NatsConnection::open(nats, &why);
  if (connection == nullptr || !prepare_fleet_streams(*connection, {}, &why))
    throw std::runtime_error(why);

  Totals totals;
  const auto begin = Clock::now();
  const double server_before_s = processor_seconds(server.process());
  const double own_before_s = processor_seconds(::getpid());
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < options.threads; ++i) {
    threads.emplace_back([&, i] {
      ship(directory.path(), options.shippers * i / options.threads,
           options.shippers * (i + 1) / options.threads, server.url(), options, totals);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const double seconds = milliseconds_since(begin) / 1000;

  const auto records = static_cast<double>(totals.counts.records);
  const auto bytes = static_cast<double>(totals.counts.bytes);
  fmt::print(
      "{{\"shippers\": {}, \"threads\": {}, \"level\": {}, \"records\": {}, \"messages\": {}, "
      "\"failures\": {}, \"refused\": {}, \"seconds\": {:.2f}, \"records_per_s\": {:.0f}, "
      "\"file_bytes_per_record\": {:.2f}, \"wire_bytes_per_record\": {:.2f}, \"MB_per_s\": {:.1f}, "
      "\"stored_after_ms_p50\": {:.1f}, \"stored_after_ms_p99\": {:.1f}, \"shippers_cpu_s\": "
      "{:.2f}, \"server_cpu_s\": {:.2f}, \"shippers_peak_MiB\": {}, \"server_peak_MiB\": {}}}\n",
      options.shippers, options.threads, options.level, totals.counts.records,
      totals.counts.messages, totals.counts.failures, totals.counts.refused, seconds,
      records / seconds, static_cast<double>(trace.size()) * options.shippers / records,
      bytes / records, bytes / seconds / 1e6, percentile(totals.latencies_ms, 0.5),
      percentile(totals.latencies_ms, 0.99), processor_seconds(::getpid()) - own_before_s,
      processor_seconds(server.process()) - server_before_s, peak_kib(::getpid()) / 1024,
      peak_kib(server.process()) / 1024);
  return totals.counts.refused == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  LoadOptions options;
  CLI::App app("Ships the traces of many hosts through a nats-server, and prints what it costs.");
  app.add_option("--shippers", options.shippers)->capture_default_str();
  app.add_option("--threads", options.threads, "connections, too")->capture_default_str();
  app.add_option("--records", options.records, "of each shipper")->capture_default_str();
  app.add_option("--trace", options.trace, "a trace file to replay; default: the mix of mix_bytes");
  app.add_option("--level", options.level, "of zstd")->capture_default_str();
  app.add_option("--message-kib", options.message_kib)->capture_default_str();
  app.add_option("--write-trace", options.written_trace,
                 "keep the trace of one shipper in this file");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "ship_load: {}\n", error.what());
    return 77;
  }
}
