// Kernels for runs of records of one site, for processors that support them. Their output is byte
// for byte that of the encoder's own loop.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace-format/codec/run_plan.hpp"
#include "trace-format/codec/value_codec.hpp"

namespace ringside::trace {

struct RecordRun {
  const std::byte* p = nullptr;             // in the input
  const std::byte* input_end = nullptr;     //
  std::byte* o = nullptr;                   // in the output
  const std::byte* output_limit = nullptr;  // a record may begin before this position
  const std::byte* arguments = nullptr;     // of the preceding record, in the input
  std::uint64_t previous = 0;               // time of the preceding record
  std::uint32_t id = 0;                     // of their site
  std::uint32_t records = 0;                // counts the coded records
};

inline constexpr std::size_t kRunBytes = 64;  // the bytes that a kernel reads and writes at once

inline constexpr std::size_t kRunTextBytes = 255;  // longer texts are not for the kernels

// Kernels code records at run.p as long as they are records of site `id` with place 0 and ordered
// times. They stop at other records, near the end of the input, and at the end of the output.
struct RunKernels {
  // `numbers` has kHistorySlots + 1 entries: the last one takes values that are not kept.
  void (*fixed)(const RunPlan& plan, std::uint64_t* numbers, RecordRun& run);
  // For sites whose only argument is one text. Stops at empty texts and at those longer than
  // kRunTextBytes.
  void (*text)(KnownText* texts, RecordRun& run);
};

// Null if this processor supports none.
const RunKernels* run_kernels();

void long_run_avx512(const RunPlan& plan, std::uint64_t* numbers, RecordRun& run);
void text_run_avx512(KnownText* texts, RecordRun& run);

}  // namespace ringside::trace
