// The cost per record of the extent encoder and decoder, and the bytes per record, for the six
// messages that NanoLog's paper measures, with constant and with changing arguments.
//
// The clock of the records advances by 20 to 50 ticks each, as back-to-back log calls do. The input
// is 64 KiB of ring bytes (the amount that one drain takes out of a ring), so it stays in the cache
// as it does there. "bytes" counts whole blocks: frame, header and site table included. "ns" is per
// record.

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "perf/harness/floor.hpp"
#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/record_head.hpp"
#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/codec/extent_encoder.hpp"

namespace {

using namespace ringside;
using shm::FieldType;

constexpr std::size_t kInputBytes = 64 << 10;

enum Message { kStatic, kString, kInteger, kTwoIntegers, kDouble, kFiveArguments, kMessages };

// A field, the value that NanoLog's message has, and the number of bits of a random value of
// similar magnitude.
struct Argument {
  FieldType type;
  double value;
  unsigned bits;
};

const std::vector<Argument> kArguments[kMessages] = {
    {},
    {{FieldType::string, 0, 0}},
    {{FieldType::i32, 181, 8}},
    {{FieldType::u32, 1032024, 20}, {FieldType::u32, 1016544, 20}},
    {{FieldType::f64, 0.4, 64}},
    {{FieldType::u64, 50000, 16},
     {FieldType::u32, 97, 7},
     {FieldType::u32, 50, 6},
     {FieldType::u32, 0, 6},
     {FieldType::f64, 26.2, 64}},
};

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_arguments(std::string& out, Message message, bool random, std::mt19937_64& any) {
  for (const Argument& argument : kArguments[message]) {
    // All values with this number of bits: the highest bit is always set.
    const std::uint64_t top = argument.bits == 0 ? 0 : std::uint64_t{1} << (argument.bits - 1);
    const std::uint64_t number = random ? top | any() % std::max<std::uint64_t>(top, 1)
                                        : static_cast<std::uint64_t>(argument.value);
    switch (argument.type) {
      case FieldType::i32:
      case FieldType::u32:
        put(out, static_cast<std::uint32_t>(number));
        break;
      case FieldType::u64:
        put(out, number);
        break;
      case FieldType::f64:
        // 1 to 2 times the value, with all bits of the mantissa in use.
        put(out, random ? argument.value * (1 + static_cast<double>(any() >> 11) * 0x1p-53)
                        : argument.value);
        break;
      default: {
        std::string text = "The quick brown fox jumps over the dog.";
        if (random) {
          for (char& c : text) c = static_cast<char>('a' + any() % 26);
        }
        put(out, static_cast<std::uint32_t>(text.size()));
        out += text;
      }
    }
  }
}

struct Workload {
  Workload(Message message, bool random) {
    std::mt19937_64 any(7);
    shm::SiteDescription d;
    d.site_id = 5;
    d.format = "message";
    std::vector<shm::FieldDescription> fields;
    for (const Argument& argument : kArguments[message]) {
      shm::FieldDescription field;
      field.type = argument.type;
      fields.push_back(field);
    }
    std::vector<std::byte> entry(shm::site_entry_bytes(d, fields));
    shm::write_site_entry(d, fields, entry.data());
    sites.add(entry, nullptr);
    std::uint64_t tsc = 1 << 20;
    std::string ring;
    while (ring.size() < kInputBytes) {
      tsc += 20 + any() % 31;
      put(ring, shm::make_head(tsc, d.site_id));
      put_arguments(ring, message, random, any);
      ++records;
    }
    const auto bytes = std::as_bytes(std::span(ring.data(), ring.size()));
    input.assign(bytes.begin(), bytes.end());
    out.resize(2 * input.size() + 4096);
  }

  trace::EncodeResult encode(trace::ExtentEncoder& encoder) {
    trace::StreamCursor cursor;
    cursor.last_tsc = 1 << 20;
    return encoder.encode(input, cursor, 0, 0, out);
  }

  trace::SiteTable sites;
  std::vector<std::byte> input;
  std::vector<std::byte> out;
  std::size_t records = 0;
};

void report_time(benchmark::State& state, std::size_t records) {
  const auto total = static_cast<double>(state.iterations()) * static_cast<double>(records);
  state.counters["ns"] =
      benchmark::Counter(total * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void report(benchmark::State& state, std::size_t records, std::size_t bytes) {
  state.counters["bytes"] = static_cast<double>(bytes) / static_cast<double>(records);
  report_time(state, records);
}

Message message_of(benchmark::State& state) {
  constexpr const char* kNames[kMessages] = {
      "static", "string of 39 bytes", "integer", "two integers", "double", "five arguments"};
  const auto message = static_cast<Message>(state.range(0));
  state.SetLabel(std::string(kNames[message]) + (state.range(1) != 0 ? ", random" : ", constant"));
  return message;
}

void encode(benchmark::State& state) {
  const Message message = message_of(state);
  const bool random = state.range(1) != 0;
  Workload load(message, random);
  trace::ExtentEncoder encoder(load.sites);
  trace::EncodeResult result;
  while (state.KeepRunning()) {
    result = load.encode(encoder);
    benchmark::DoNotOptimize(load.out.data());
    benchmark::ClobberMemory();
  }
  if (result.records != load.records) state.SkipWithError("records were left over");
  report(state, load.records, result.output_bytes);
}

// Decodes one extent again and again; `run(decoder)` returns the number of records.
template <class Run>
void decode_with(benchmark::State& state, Run&& run) {
  const Message message = message_of(state);
  const bool random = state.range(1) != 0;
  Workload load(message, random);
  trace::ExtentEncoder encoder(load.sites);
  const trace::EncodeResult encoded = load.encode(encoder);
  const auto block = std::span<const std::byte>(load.out).first(encoded.output_bytes);
  trace::ExtentDecoder decoder;
  std::size_t records = 0;
  while (state.KeepRunning()) {
    if (!decoder.open(block.subspan(trace::kBlockHeaderBytes), load.sites, nullptr)) break;
    records = run(decoder);
  }
  if (records != load.records) state.SkipWithError("records got lost");
  report(state, load.records, encoded.output_bytes);
}

// The access pattern of a reader that merges the records of several streams by time.
void decode(benchmark::State& state) {
  decode_with(state, [](trace::ExtentDecoder& decoder) {
    trace::Record record;
    std::size_t records = 0;
    std::uint64_t sum = 0;
    while (decoder.next(record)) {
      ++records;
      sum += record.tsc;
    }
    benchmark::DoNotOptimize(sum);
    return records;
  });
}

// The access pattern of a reader that visits one extent after the other.
void decode_extent(benchmark::State& state) {
  decode_with(state, [](trace::ExtentDecoder& decoder) {
    std::size_t records = 0;
    std::uint64_t sum = 0;
    decoder.for_each([&](const trace::RecordView& record) {
      ++records;
      sum += record.tsc;
    });
    benchmark::DoNotOptimize(sum);
    return records;
  });
}

// Reads the TSC and stores it, once per record of a drain. The encoder's rate is compared with
// this.
void floor(benchmark::State& state) {
  perf::Floor floor;
  constexpr int kCalls = 2048;
  while (state.KeepRunning()) benchmark::DoNotOptimize(floor.burst_ticks(kCalls));
  report_time(state, kCalls);
}

BENCHMARK(floor);
BENCHMARK(encode)->ArgNames({"message", "random"})->ArgsProduct({{0, 1, 2, 3, 4, 5}, {0, 1}});
BENCHMARK(decode)->ArgNames({"message", "random"})->ArgsProduct({{0, 1, 2, 3, 4, 5}, {0, 1}});
BENCHMARK(decode_extent)
    ->ArgNames({"message", "random"})
    ->ArgsProduct({{0, 1, 2, 3, 4, 5}, {0, 1}});

}  // namespace

BENCHMARK_MAIN();
