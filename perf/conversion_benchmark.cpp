// Formats of other tools: records per second that ringcat writes in each format, including reading
// the trace file but not the write itself; and MB per second that ringcat reads back into a trace
// file. The records come from four threads: nested spans with two integers, logs with an integer
// and a text, and counters; one record in four has an activity. Input is generated for formats that
// ringcat only reads, and for those that other programs write differently.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "perf/generated_lttng.hpp"
#include "perf/generated_nanolog.hpp"
#include "shm-layout/record_head.hpp"
#include "tools/interop/format_registry.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace {

using namespace ringside;
using shm::FieldType;
using shm::SiteKind;

constexpr std::uint64_t kRecords = 400'000;
constexpr std::uint64_t kStartNs = 1'700'000'000'000'000'000;

// The statements of an application that traces the requests that it answers.
class RequestTrace {
 public:
  RequestTrace() : builder_(report_) {
    const std::uint32_t process = builder_.add_process({.pid = 4711,
                                                        .start_unix_ns = kStartNs,
                                                        .service = "orders",
                                                        .executable = "/srv/orders",
                                                        .host = "node-1"});
    for (std::uint32_t i = 0; i < 4; ++i) {
      streams_.push_back(builder_.add_stream(process, {4712 + i, "worker " + std::to_string(i)}));
    }
    const std::uint32_t request =
        site(SiteKind::kSpan, "request",
             {{.name = "id", .type = FieldType::u64}, {.name = "bytes", .type = FieldType::u32}});
    const std::uint32_t query =
        site(SiteKind::kSpan, "query",
             {{.name = "id", .type = FieldType::u64}, {.name = "rows", .type = FieldType::i32}});
    const std::uint32_t found =
        site(SiteKind::kLog, "found",
             {{.name = "id", .type = FieldType::u64}, {.name = "path", .type = FieldType::string}});
    const std::uint32_t waiting =
        site(SiteKind::kCounter, "waiting", {{.name = "requests", .type = FieldType::f64}});
    for (std::uint64_t i = 0; i < kRecords; i += 4) {
      const std::uint32_t stream = streams_[i / 4 % streams_.size()];
      const std::uint64_t now = kStartNs + i * 500;
      begin(stream, request, now, 1900 * streams_.size(), i);
      builder_.put(static_cast<std::uint32_t>(i % 1499));
      builder_.end();
      begin(stream, query, now + 100, 700, 0);
      builder_.put(static_cast<std::int32_t>(i % 77));
      builder_.end();
      begin(stream, found, now + 300, 0, 0);
      builder_.put_text("/orders/by-customer/12345678/items");
      builder_.end();
      builder_.begin(stream, waiting, now + 400);
      builder_.put(static_cast<double>(i % 1000) / 8);
      builder_.end();
    }
    std::string error;
    paths_ = builder_.finish(&error);
  }

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::uint32_t site(SiteKind kind, const std::string& name,
                     std::vector<tool::FieldDefinition> fields) {
    tool::SiteDefinition definition;
    definition.kind = kind;
    definition.name = definition.format = name;
    definition.category = "orders.http";
    definition.file = "src/orders.cpp";
    definition.line = 42;
    definition.function = "answer";
    definition.fields = std::move(fields);
    return builder_.add_site(definition);
  }

  void begin(std::uint32_t stream, std::uint32_t site, std::uint64_t now, std::uint64_t duration,
             std::uint64_t activity) {
    trace::RecordExtension extension;
    if (duration != 0) extension.ext_flags |= shm::kExtDuration;
    extension.duration = duration;
    if (activity != 0) extension.ext_flags |= shm::kExtActivity;
    for (std::size_t i = 0; i < 8; ++i) {
      extension.activity[i] = static_cast<std::uint8_t>(activity >> 8 * i);
    }
    builder_.begin(stream, site, now, extension);
    builder_.put(now);
  }

  tool::ConversionReport report_;
  tool::TraceBuilder builder_;
  std::vector<std::uint32_t> streams_;
  std::vector<std::string> paths_;
};

const RequestTrace& request_trace() {
  static const RequestTrace trace;
  return trace;
}

// Bytes written; 0 with an error.
std::uint64_t write(const tool::ForeignFormat& format, std::string* keep) {
  auto set = trace::TraceSet::open(request_trace().paths(), nullptr);
  if (!set) return 0;
  tool::ConversionReport report;
  tool::OutputBytes output([keep](std::span<const std::byte> bytes) {
    if (keep != nullptr) keep->append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return true;
  });
  const auto writer = format.write(output, report);
  trace::Event event;
  while (set->next(event)) writer->add(event);
  writer->end();
  return output.flush() && output.failure().empty() ? output.position() : 0;
}

[[maybe_unused]] void run_writer(benchmark::State& state, const tool::ForeignFormat& format) {
  request_trace();
  std::uint64_t bytes = 0;
  while (state.KeepRunning()) {
    bytes = write(format, nullptr);
    if (bytes == 0) return state.SkipWithError("writing failed");
  }
  state.counters["records"] =
      benchmark::Counter(static_cast<double>(kRecords) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
  state.counters["bytes"] = static_cast<double>(bytes) / static_cast<double>(kRecords);
}

void count_read(benchmark::State& state, std::uint64_t bytes, std::uint64_t records) {
  const auto rounds = static_cast<std::uint64_t>(state.iterations());
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes * rounds));
  state.counters["records"] =
      benchmark::Counter(static_cast<double>(records * rounds), benchmark::Counter::kIsRate);
  state.counters["bytes"] = static_cast<double>(bytes) / static_cast<double>(records);
}

void read_file(benchmark::State& state, const tool::ForeignFormat& format,
               const std::string& file) {
  std::uint64_t records = 0;
  while (state.KeepRunning()) {
    tool::ConversionReport report;
    tool::TraceBuilder builder(report);
    const auto input = tool::InputBytes::in_memory("file", std::as_bytes(std::span(file)));
    std::string error;
    const bool read = format.read(*input, builder, report).end == tool::ReadEnd::kWhole;
    if (!read || builder.finish(&error).empty()) return state.SkipWithError("reading failed");
    records = builder.records();
  }
  count_read(state, file.size(), records);
}

[[maybe_unused]] void run_reader(benchmark::State& state, const tool::ForeignFormat& format) {
  std::string file;
  if (write(format, &file) == 0) return state.SkipWithError("writing failed");
  read_file(state, format, file);
}

[[maybe_unused]] void run_nanolog_reader(benchmark::State& state,
                                         const tool::ForeignFormat& format) {
  read_file(state, format, perf::GeneratedNanoLog(kRecords).bytes());
}

// A path for a format whose traces are directories; it is removed with this object.
class Place {
 public:
  Place() {
    std::string name = (std::filesystem::temp_directory_path() / "ringside-perf-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) root_ = name;
  }
  ~Place() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  // Bytes written; 0 with an error.
  std::uint64_t write(const tool::ForeignFormat& format) const {
    std::filesystem::remove_all(trace());
    auto set = trace::TraceSet::open(request_trace().paths(), nullptr);
    tool::ConversionReport report;
    std::string error;
    const auto writer = format.write_directory(trace(), report, &error);
    if (!set || writer == nullptr) return 0;
    trace::Event event;
    while (set->next(event)) writer->add(event);
    writer->end();
    std::uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(trace()))
      bytes += entry.is_regular_file() ? entry.file_size() : 0;
    return writer->failure().empty() ? bytes : 0;
  }

  std::string trace() const { return root_ + "/trace"; }

 private:
  std::string root_;
};

[[maybe_unused]] void run_directory_writer(benchmark::State& state,
                                           const tool::ForeignFormat& format) {
  request_trace();
  const Place place;
  std::uint64_t bytes = 0;
  while (state.KeepRunning()) {
    bytes = place.write(format);
    if (bytes == 0) return state.SkipWithError("writing failed");
  }
  state.counters["records"] =
      benchmark::Counter(static_cast<double>(kRecords) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
  state.counters["bytes"] = static_cast<double>(bytes) / static_cast<double>(kRecords);
}

void read_directory(benchmark::State& state, const tool::ForeignFormat& format,
                    const std::string& path, std::uint64_t bytes) {
  std::uint64_t records = 0;
  while (state.KeepRunning()) {
    tool::ConversionReport report;
    tool::TraceBuilder builder(report);
    std::string error;
    const bool read = format.read_directory(path, builder, report).end == tool::ReadEnd::kWhole;
    if (!read || builder.finish(&error).empty()) return state.SkipWithError("reading failed");
    records = builder.records();
  }
  count_read(state, bytes, records);
}

[[maybe_unused]] void run_directory_reader(benchmark::State& state,
                                           const tool::ForeignFormat& format) {
  const Place place;
  read_directory(state, format, place.trace(), place.write(format));
}

[[maybe_unused]] void run_lttng_reader(benchmark::State& state, const tool::ForeignFormat& format) {
  const perf::GeneratedLttng trace(kRecords);
  read_directory(state, format, trace.path(), trace.bytes());
}

// What all writers share.
[[maybe_unused]] void run_trace_set(benchmark::State& state) {
  while (state.KeepRunning()) {
    auto set = trace::TraceSet::open(request_trace().paths(), nullptr);
    trace::Event event;
    std::uint64_t sum = 0;
    while (set->next(event)) sum += event.unix_ns;
    benchmark::DoNotOptimize(sum);
  }
  state.counters["records"] =
      benchmark::Counter(static_cast<double>(kRecords) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
#if !defined(__clang_analyzer__)  // which takes what Google Benchmark keeps for leaks
  benchmark::RegisterBenchmark("trace_set", run_trace_set)->Unit(benchmark::kMillisecond);
  for (const tool::ForeignFormat* const entry : tool::foreign_formats()) {
    const tool::ForeignFormat& format = *entry;
    const std::string name(format.name);
    if (format.write != nullptr) {
      benchmark::RegisterBenchmark(("write/" + name).c_str(), run_writer, format)
          ->Unit(benchmark::kMillisecond);
    }
    if (format.write_directory != nullptr) {
      benchmark::RegisterBenchmark(("write/" + name).c_str(), run_directory_writer, format)
          ->Unit(benchmark::kMillisecond);
    }
    if (format.write_directory != nullptr && format.read_directory != nullptr) {
      benchmark::RegisterBenchmark(("read/" + name).c_str(), run_directory_reader, format)
          ->Unit(benchmark::kMillisecond);
    }
    if (format.write != nullptr && format.read != nullptr) {
      benchmark::RegisterBenchmark(("read/" + name).c_str(), run_reader, format)
          ->Unit(benchmark::kMillisecond);
    }
    if (name == "nanolog") {
      benchmark::RegisterBenchmark("read/nanolog", run_nanolog_reader, format)
          ->Unit(benchmark::kMillisecond);
    }
    if (name == "ctf") {
      benchmark::RegisterBenchmark("read/ctf of lttng", run_lttng_reader, format)
          ->Unit(benchmark::kMillisecond);
    }
  }
#endif
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
