// Cost as a function of the number of threads, services, statements and idle rings, and of the size
// of a record: processor time of both sides per record, records per second, and the prediction of
// rate_model.hpp. All loads share all processors with consumerd at its default settings.

#include <cinttypes>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "perf/harness/processors.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/harness/spread.hpp"
#include "perf/harness/tsc_rate.hpp"
#include "perf/ringside/consumerd_process.hpp"
#include "perf/ringside/temporary_directory.hpp"
#include "perf/scaling/load_process.hpp"
#include "perf/scaling/load_shape.hpp"
#include "perf/scaling/rate_model.hpp"

namespace {

using namespace ringside::perf;

struct Point {
  double producer_ns = 0;
  double consumer_ns = 0;
  double file_bytes = 0;
  double records_per_s = 0;
};

double process_cpu_ns(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/schedstat");
  // Main thread only: exact, while stat counts in hundredths of a second. The io_uring workers of
  // the kernel are added below.
  double main_ns = 0;
  file >> main_ns;
  double workers_ns = 0;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    if (task.path().filename() == std::to_string(pid)) continue;
    double ns = 0;
    std::ifstream(task.path() / "schedstat") >> ns;
    workers_ns += ns;
  }
  return main_ns + workers_ns;
}

std::uint64_t bytes_in(const std::string& directory) {
  std::uint64_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(directory)) {
    bytes += file.file_size();
  }
  return bytes;
}

// Runs one load until the last byte is in the file. Empty if a record was lost.
std::optional<Point> run(const LoadShape& shape, const std::string& load_path) {
  const TemporaryDirectory shm("/dev/shm");
  const TemporaryDirectory output("/dev/shm");
  if (shm.path().empty() || output.path().empty()) return {};
  ConsumerdProcess consumerd(shm.path(), output.path(), choose_processors()->consumer);
  std::vector<std::unique_ptr<LoadProcess>> services;
  for (std::uint32_t i = 0; i < shape.services; ++i) {
    services.push_back(std::make_unique<LoadProcess>(
        std::vector<std::string>{load_path, "--threads=" + std::to_string(shape.threads),
                                 "--records=" + std::to_string(shape.records_of_thread()),
                                 "--sites=" + std::to_string(shape.sites),
                                 "--text-bytes=" + std::to_string(shape.text_bytes),
                                 "--ring-bytes=" + std::to_string(shape.ring_bytes)},
        shm.path()));
  }
  for (const auto& service : services) {
    if (service->read_line() != "ready") return {};
  }
  const double cpu_before_ns = process_cpu_ns(consumerd.pid());
  for (const auto& service : services) service->end_input();
  std::uint64_t first = UINT64_MAX;
  std::uint64_t last = 0;
  std::uint64_t producer_ns = 0;
  for (const auto& service : services) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t cpu_ns = 0;
    std::uint64_t lost = 1;
    const std::string line = service->read_line();
    if (std::sscanf(line.c_str(), "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &begin, &end,
                    &cpu_ns, &lost) != 4 ||
        lost != 0) {
      std::fprintf(stderr, "scaling: a service lost records or did not answer: '%s'\n",
                   line.c_str());
      return {};
    }
    first = std::min(first, begin);
    last = std::max(last, end);
    producer_ns += cpu_ns;
  }
  const double consumer_ns = process_cpu_ns(consumerd.pid()) - cpu_before_ns;
  const auto records =
      static_cast<double>(shape.records_of_thread() * shape.threads * shape.services);
  Point point;
  point.producer_ns = static_cast<double>(producer_ns) / records;
  point.consumer_ns = consumer_ns / records;
  point.file_bytes = static_cast<double>(bytes_in(output.path())) / records;
  point.records_per_s = records * tsc_ticks_per_ns() * 1e9 / static_cast<double>(last - first);
  return point;
}

// Cost of a log call for a thread that never waits: all its records fit into its ring.
std::optional<double> unhindered_producer_ns(LoadShape shape, const std::string& load_path) {
  const std::uint64_t record_bytes = 12 + shape.text_bytes;
  shape.records =
      std::uint64_t{shape.ring_bytes} / 4 * 3 / record_bytes * shape.threads * shape.services;
  const auto point = run(shape, load_path);
  if (!point) return {};
  return point->producer_ns;
}

class Points {
 public:
  Points(const RunOptions& options, std::string load_path)
      : options_(options), load_path_(std::move(load_path)) {}

  // `name` is the parameter that varies, `value` its value.
  void measure(const char* name, std::uint32_t value, LoadShape shape) {
    if (!options_.wants_case(name)) return;
    if (options_.quick) shape.records /= 10;
    std::vector<double> producer, consumer, rate, ratio, bytes;
    for (int repeat = 0; repeat < options_.repeats_or_one(); ++repeat) {
      const auto point = run(shape, load_path_);
      const auto producer_ns = unhindered_producer_ns(shape, load_path_);
      if (!point || !producer_ns) {
        failed_ = true;
        return;
      }
      const RecordCosts costs{*producer_ns, point->consumer_ns, point->file_bytes};
      const Machine machine{.cores = static_cast<double>(allowed_processors().size())};
      const double model = records_per_s(costs, machine, shape.threads * shape.services);
      producer.push_back(*producer_ns);
      consumer.push_back(point->consumer_ns);
      bytes.push_back(point->file_bytes);
      rate.push_back(point->records_per_s * 1e-6);
      ratio.push_back(point->records_per_s / model);
    }
    const auto line = [&] {
      ResultLine of("scaling", "ringside", name);
      of.with("value", std::int64_t{value});
      return of;
    };
    line().print("producer", "ns", spread_of(producer));
    line().print("consumer", "ns", spread_of(consumer));
    line().print("file", "B", spread_of(bytes));
    line().print("rate", "M/s", spread_of(rate, Better::higher));
    line().print("measured_to_model", "x", spread_of(ratio, Better::higher));
  }

  bool failed() const { return failed_; }

 private:
  const RunOptions& options_;
  const std::string load_path_;
  bool failed_ = false;
};

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv,
                                         "Row scaling: the cost of a record by number of threads, "
                                         "services, statements and rings, and by size.",
                                         &exit_code);
  if (!options) return exit_code;
  if (!choose_processors()) {
    std::fprintf(stderr, "only one processor: consumerd needs a second one\n");
    return kExitNotPossible;
  }
  Points points(*options, TRACED_LOAD_PATH);
  for (const std::uint32_t threads : {1U, 2U, 4U, 16U, 64U, 256U}) {
    points.measure("threads", threads, {.threads = threads});
  }
  for (const std::uint32_t services : {1U, 2U, 4U, 8U, 16U}) {
    points.measure("services", services, {.services = services});
  }
  for (const std::uint32_t sites : {1U, 4U, 16U, 64U, 256U, 1024U}) {
    points.measure("sites", sites, {.sites = sites});
  }
  for (const std::uint32_t bytes : {8U, 16U, 32U, 64U, 128U, 256U, 512U, 1024U, 4096U}) {
    points.measure("text_bytes", bytes,
                   {.records = 256'000'000 / (bytes + 24), .text_bytes = bytes});
  }
  // With as many records that the start of a thousand services is a small part of the time.
  for (const std::uint32_t services : {8U, 64U, 1000U}) {
    if (options->quick && services > 64) continue;
    points.measure("many", services, {.records = 128'000'000, .services = services});
  }
  // Many services of ten threads: thousands of rings, which must be small to fit into memory.
  for (const std::uint32_t services : {1U, 16U, 64U, 256U}) {
    if (options->quick && services > 16) continue;
    points.measure("wide", services,
                   {.services = services, .threads = 10, .ring_bytes = 64U << 10});
  }
  return points.failed() ? kExitDoesNotCount : kExitOk;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
