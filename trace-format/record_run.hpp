// Kernels for runs of records of one site, for processors that have them. What they write is byte
// for byte what the encoder's own loop writes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace-format/run_plan.hpp"
#include "trace-format/value_codec.hpp"

namespace ringside::trace {

struct RecordRun {
  const std::byte* p = nullptr;             // in the input
  const std::byte* input_end = nullptr;     //
  std::byte* o = nullptr;                   // in the output
  const std::byte* output_limit = nullptr;  // up to where a record may begin
  const std::byte* arguments = nullptr;     // of the record before, in the input
  std::uint64_t previous = 0;               // time of the record before
  std::uint32_t id = 0;                     // of their site
  std::uint32_t records = 0;                // counts those that were coded
};

inline constexpr std::size_t kRunBytes = 64;  // what a kernel reads and writes at once

inline constexpr std::size_t kRunTextBytes = 255;  // longer texts are none for the kernels

// Kernels code what stands at run.p as long as it is records of site `id` whose place is 0 and
// whose times are ordered; they stop at others, near the end of the input, and at the end of the
// output. Histories have kHistorySlots + 1 entries: what goes into the last one is for nothing.
struct RunKernels {
  // `numbers` has kHistorySlots + 1 entries: what goes into the last one is for nothing.
  void (*fixed)(const RunPlan& plan, std::uint64_t* numbers, RecordRun& run);
  // Of sites whose only argument is one text. Stops at empty texts and at those longer than
  // kRunTextBytes.
  void (*text)(KnownText* texts, RecordRun& run);
};

// Null if this processor has none.
const RunKernels* run_kernels();

void long_run_avx512(const RunPlan& plan, std::uint64_t* numbers, RecordRun& run);
void text_run_avx512(KnownText* texts, RecordRun& run);

}  // namespace ringside::trace
