// Cost of one MessageFormat::append. Pin to an idle core (taskset -c 1). The time is that of the
// whole loop body: clear() of a string that already has its memory, and append.
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "shm-layout/format_style.hpp"
#include "trace-format/text/message_text.hpp"

namespace ringside::trace {
namespace {

using shm::FieldType;

constexpr const char* kFiveArguments =
    "Initialized InfUdDriver buffers: %u receive buffers (%u MB), %u transmit buffers (%u MB), "
    "took %0.1lf ms";

// The same line in brace style.
constexpr const char* kFiveInBraces =
    "Initialized InfUdDriver buffers: {} receive buffers ({} MB), {} transmit buffers ({} MB), "
    "took {:.1f} ms";

void run(benchmark::State& state, std::string_view format, const std::vector<Value>& values,
         shm::FormatStyle style = shm::FormatStyle::printf) {
  std::vector<FormatField> fields;
  fields.reserve(values.size());
  for (const Value& value : values) fields.push_back({"", value.type});
  const auto message = MessageFormat::parse(style, format, fields, nullptr);
  if (!message) {
    state.SkipWithError("invalid format");
    return;
  }
  std::string out;
  for ([[maybe_unused]] auto _ : state) {
    out.clear();
    message->append(out, values);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}

void static_text(benchmark::State& state) {
  run(state, "Starting backup replica pool", {});
}

void one_integer(benchmark::State& state) {
  run(state, "Backup storage speeds (min): %d MB/s read", {Value::of_signed(FieldType::i32, 181)});
}

void only_integer(benchmark::State& state) {
  run(state, "%d", {Value::of_signed(FieldType::i32, 181)});
}

void one_string(benchmark::State& state) {
  run(state, "Opened session with coordinator at %s",
      {Value::of_text(FieldType::string, "basic+udp:host=192.168.1.140,port=12246")});
}

void five_arguments(benchmark::State& state) {
  run(state, kFiveArguments,
      {Value::of_unsigned(FieldType::u32, 50000), Value::of_unsigned(FieldType::u32, 97),
       Value::of_unsigned(FieldType::u32, 50), Value::of_unsigned(FieldType::u32, 0),
       Value::of_f64(26.2)});
}

void general_float(benchmark::State& state) {
  run(state, "%g", {Value::of_f64(3.14159)});
}

void one_integer_in_braces(benchmark::State& state) {
  run(state, "Backup storage speeds (min): {} MB/s read", {Value::of_signed(FieldType::i32, 181)},
      shm::FormatStyle::brace);
}

void one_string_in_braces(benchmark::State& state) {
  run(state, "Opened session with coordinator at {}",
      {Value::of_text(FieldType::string, "basic+udp:host=192.168.1.140,port=12246")},
      shm::FormatStyle::brace);
}

void five_arguments_in_braces(benchmark::State& state) {
  run(state, kFiveInBraces,
      {Value::of_unsigned(FieldType::u32, 50000), Value::of_unsigned(FieldType::u32, 97),
       Value::of_unsigned(FieldType::u32, 50), Value::of_unsigned(FieldType::u32, 0),
       Value::of_f64(26.2)},
      shm::FormatStyle::brace);
}

void general_float_in_braces(benchmark::State& state) {
  run(state, "{}", {Value::of_f64(3.14159)}, shm::FormatStyle::brace);
}

void padded_integer(benchmark::State& state) {
  run(state, "%#08x", {Value::of_unsigned(FieldType::u32, 181)});
}

void padded_integer_in_braces(benchmark::State& state) {
  run(state, "{:#08x}", {Value::of_unsigned(FieldType::u32, 181)}, shm::FormatStyle::brace);
}

void padded_string(benchmark::State& state) {
  run(state, "%-12s", {Value::of_text(FieldType::string, "basic")});
}

void padded_string_in_braces(benchmark::State& state) {
  run(state, "{:12}", {Value::of_text(FieldType::string, "basic")}, shm::FormatStyle::brace);
}

void five_arguments_by_snprintf(benchmark::State& state) {
  char line[256];
  for ([[maybe_unused]] auto _ : state) {
    std::snprintf(line, sizeof line, kFiveArguments, 50000u, 97u, 50u, 0u, 26.2);
    benchmark::DoNotOptimize(line);
    benchmark::ClobberMemory();
  }
}

BENCHMARK(static_text);
BENCHMARK(only_integer);
BENCHMARK(one_integer);
BENCHMARK(one_string);
BENCHMARK(five_arguments);
BENCHMARK(general_float);
BENCHMARK(one_integer_in_braces);
BENCHMARK(one_string_in_braces);
BENCHMARK(five_arguments_in_braces);
BENCHMARK(general_float_in_braces);
BENCHMARK(padded_integer);
BENCHMARK(padded_integer_in_braces);
BENCHMARK(padded_string);
BENCHMARK(padded_string_in_braces);
BENCHMARK(five_arguments_by_snprintf);

}  // namespace
}  // namespace ringside::trace

BENCHMARK_MAIN();
