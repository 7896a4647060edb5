// The reader's work, to be counted under callgrind: extents to records, one at a time and all at
// once; a file to events in the order of time, and to lines of text. One dump per kind of record,
// named after it. What is read from a file is dumped for two numbers of extents, because the
// difference is the cost of records alone.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <valgrind/callgrind.h>

#include "perf/generated_trace.hpp"
#include "tests/instruction-counts/counted_records.hpp"
#include "tools/text/trace_text.hpp"
#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/codec/extent_encoder.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace {

using namespace ringside;
using shm::FieldType;
using test::Values;

constexpr std::uint32_t kRecords = 1000;
// Extents hold 64 KiB of a ring: more records than the smaller number for all statements.
constexpr std::size_t kFewRecords = 1000;
constexpr std::size_t kManyRecords = 20000;

void check(std::size_t seen, std::size_t expected, const std::string& name) {
  if (seen != expected) throw std::runtime_error(name + ": records got lost");
}

// Prevents that the compiler removes the work.
void use(std::uint64_t value) {
  asm volatile("" : : "r"(value));
}

template <class Run>
void count_extent(const std::string& name, test::CountedRecords& load, Run&& run) {
  trace::ExtentEncoder encoder(load.sites());
  const trace::EncodeResult encoded = load.encode(encoder);
  check(encoded.records, kRecords, name);
  const auto payload = load.out().first(encoded.output_bytes).subspan(trace::kBlockHeaderBytes);
  trace::ExtentDecoder decoder;
  for (const bool counted : {false, true}) {  // the first time allocates its memory
    CALLGRIND_ZERO_STATS;
    if (!decoder.open(payload, load.sites(), nullptr)) throw std::runtime_error(name);
    const std::size_t seen = run(decoder);
    if (counted) CALLGRIND_DUMP_STATS_AT(name.c_str());
    check(seen, kRecords, name);
  }
}

void count_extents(const char* kind, const std::vector<FieldType>& types, Values values) {
  test::CountedRecords load(types, values, kRecords);
  count_extent(std::string("decode_record_") + kind, load, [](trace::ExtentDecoder& decoder) {
    trace::Record record;
    std::size_t seen = 0;
    std::uint64_t sum = 0;
    for (; decoder.next(record); ++seen) sum += record.tsc;
    use(sum);
    return seen;
  });
  count_extent(std::string("decode_extent_") + kind, load, [](trace::ExtentDecoder& decoder) {
    std::size_t seen = 0;
    std::uint64_t sum = 0;
    decoder.for_each([&](const trace::RecordView& record) {
      ++seen;
      sum += record.tsc;
    });
    use(sum);
    return seen;
  });
}

template <class Run>
void count_file(const std::string& name, const perf::GeneratedTrace& file, Run&& run) {
  const std::string dump = name + "_" + std::to_string(file.records());
  CALLGRIND_ZERO_STATS;
  auto set = trace::TraceSet::open(std::vector<std::string>{file.path()}, nullptr);
  if (!set) throw std::runtime_error(name + ": the file cannot be read");
  run(*set);
  CALLGRIND_DUMP_STATS_AT(dump.c_str());
  check(set->report().records, file.records(), name);
}

void count_files(const std::string& kind, perf::Statement statement) {
  for (const std::size_t records : {kFewRecords, kManyRecords}) {
    const perf::GeneratedTrace file({.statement = statement, .records = records});
    count_file("event_of_file_" + kind, file, [](trace::TraceSet& set) {
      trace::Event event;
      std::uint64_t sum = 0;
      while (set.next(event)) sum += event.unix_ns;
      use(sum);
    });
    count_file("text_" + kind, file, [](trace::TraceSet& set) {
      std::size_t bytes = 0;
      tool::write_trace_text(set, {.utc = true}, [&](std::string_view text) {
        bytes += text.size();
        return true;
      });
      use(bytes);
    });
  }
}

}  // namespace

int main() try {
  constexpr FieldType u32 = FieldType::u32;
  count_extents("static", {}, Values::kSame);
  count_extents("five_integers", {u32, u32, u32, u32, u32}, Values::kChanging);
  count_extents("string", {FieldType::string}, Values::kChanging);
  count_files("static", perf::Statement::kStatic);
  count_files("five_arguments", perf::Statement::kFiveArguments);
  count_files("string", perf::Statement::kString);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "counted_decoder: %s\n", error.what());
  return 1;
}
