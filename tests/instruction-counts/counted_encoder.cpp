// The extent encoder's work, to be counted. Under callgrind: one dump per kind of record, named
// after it. With --steps: prints "NAME INSTRUCTIONS-PER-RECORD" per kind, counted by single steps,
// if this processor has kernels that valgrind cannot run.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <valgrind/callgrind.h>

#include "tests/instruction-counts/counted_records.hpp"
#include "tests/instruction-counts/stepped_run.hpp"
#include "trace-format/codec/extent_encoder.hpp"
#include "trace-format/codec/record_run.hpp"

namespace {

using namespace ringside;
using shm::FieldType;
using test::Values;

constexpr std::uint32_t kRecords = 1000;
constexpr std::uint32_t kSteppedRecords = 300;  // a step takes microseconds

bool g_by_steps = false;

// Counts kRecords of one site.
void count(const char* name, const std::vector<FieldType>& types, Values values) {
  const std::uint32_t records = g_by_steps ? kSteppedRecords : kRecords;
  test::CountedRecords load(types, values, records);
  trace::ExtentEncoder encoder(load.sites());
  load.encode(encoder);  // allocates its memory
  if (g_by_steps) {
    const std::int64_t steps = test::count_by_steps([&] {
      test::step_mark();
      load.encode(encoder);
      test::step_mark();
    });
    std::printf("%s_wide %.2f\n", name, static_cast<double>(steps) / records);
    std::fflush(stdout);
    return;
  }
  CALLGRIND_ZERO_STATS;
  const trace::EncodeResult result = load.encode(encoder);
  CALLGRIND_DUMP_STATS_AT(name);
  if (result.records != kRecords) {
    std::fprintf(stderr, "%s: %u records\n", name, static_cast<unsigned>(result.records));
  }
}

}  // namespace

int main(int argc, char** argv) {
  g_by_steps = argc > 1 && std::strcmp(argv[1], "--steps") == 0;
  if (g_by_steps && trace::run_kernels() == nullptr) return 0;
  constexpr FieldType u32 = FieldType::u32;
  constexpr FieldType f64 = FieldType::f64;
  count("encode_static", {}, Values::kSame);
  count("encode_two_integers_same", {u32, u32}, Values::kSame);
  count("encode_two_integers", {u32, u32}, Values::kChanging);
  count("encode_double", {f64}, Values::kChanging);
  // Runs of integers alone have the kernel of two integers.
  if (!g_by_steps) count("encode_five_integers", {u32, u32, u32, u32, u32}, Values::kChanging);
  count("encode_five_arguments", {u32, u32, u32, u32, f64}, Values::kChanging);
  count("encode_string", {FieldType::string}, Values::kChanging);
  return 0;
}
