// The state of one call of the encoder: shared by its loop (extent_encoder.cpp) and by the records
// that the loop does not handle (extent_encoder_rare.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "shm-layout/dictionary_entry.hpp"
#include "trace-format/codec/argument_encoder.hpp"
#include "trace-format/codec/extent_encoder.hpp"
#include "trace-format/codec/record_run.hpp"
#include "trace-format/codec/run_plan.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/codec/value_codec.hpp"

namespace ringside::trace {

// How a record's arguments are coded: none, integers, numbers, one text, mixed, any. Everything
// except kGeneral runs inside the loop.
enum class Path : std::uint8_t { kStatic, kIntegers, kFixed, kText, kMixed, kGeneral };

// The encoder's state of one site, in half a cache line. Members other than `plan` are valid only
// if `epoch` is that of the present extent: a new extent starts by incrementing one number.
struct SiteState {
  const std::byte* previous = nullptr;  // arguments of its latest record, in the input
  const SitePlan* plan = nullptr;
  std::uint32_t epoch = 0;
  std::uint32_t successor = 0;       // id of the site whose record followed the latest one
  std::uint32_t argument_bytes = 0;  // of the latest record
  std::uint16_t index = 0;           // in the extent's site table
  std::uint8_t index_bytes = 0;
  Path path = Path::kGeneral;
};
static_assert(sizeof(SiteState) == 32);

inline constexpr std::size_t kMaxFixedBytes = std::size_t{shm::kMaxFields} * 16;

// A record's output without its arguments, at most: extension 59, tag 1, time 8, index 2, a store
// wider than its value 16, and 4 for a new entry of the site table.
inline constexpr std::size_t kBareRecordRoom = 59 + 1 + 8 + 2 + kCopyBytes + 4;

// The same with the arguments, but without the bytes of texts. No value takes more bytes than in
// the ring.
inline std::size_t record_room(const SitePlan& plan) {
  return kBareRecordRoom + plan.tag_bytes + plan.minimal_bytes;
}

// Enough for most sites: the loop need not find out for which.
inline constexpr std::size_t kRecordRoom = 1216;

// Previous arguments of a site without preceding record: every number 0, every text empty.
alignas(64) inline constexpr std::array<std::byte, kMaxFixedBytes + kWideBytes> kZeroArguments{};

struct Extended {
  std::uint32_t flags = 0;
  const std::byte* parts = nullptr;
};

struct ExtentEncoder::Impl {
  Impl(const SiteTable& table, EncoderKernels which)
      : sites(table), kernels(which == EncoderKernels::kBest ? run_kernels() : nullptr) {}

  // The parts of one call that the loop keeps in registers and stores when something unusual comes.
  struct Run {
    const std::byte* p = nullptr;
    std::byte* o = nullptr;
    std::uint64_t reference = 0;  // base for widening the 44 bits
    std::uint64_t previous = 0;   // time of the preceding record
    SiteState* before = nullptr;  // site of the preceding record
    std::uint32_t records = 0;
  };
  enum class Next : std::uint8_t { kGoOn, kStop };

  void start(std::span<const std::byte> bytes, const StreamCursor& cursor,
             std::uint64_t consumer_tsc, std::span<std::byte> out);
  void loop();
  enum class RunResult : std::uint8_t { kCoded, kNone, kNotSoon };
  RunResult run_of_one_site(std::uint32_t id, const std::byte* output_limit);
  const RunPlan& run_plan(std::uint32_t id);
  Next rare(std::size_t left, std::uint32_t id, std::uint64_t head);
  static std::size_t variable_length(Path path, const SiteState* states, std::uint32_t id,
                                     const std::byte* record, std::size_t left,
                                     std::ptrdiff_t output_left);
  Next control(std::uint32_t code, std::uint64_t head);
  Next drop(std::uint64_t head);
  Next extended(std::uint64_t head);
  Next plain(std::uint64_t head);
  Next general(std::uint64_t head, std::uint32_t id, const std::byte* values, std::size_t bytes,
               const std::byte* next, const Extended& extension);
  Next admit(std::uint32_t id, std::uint64_t time);
  struct Stamp {
    std::uint64_t time = 0;  // of the record's tag
    std::uint64_t own_time = 0;
  };
  void put(const Stamp& stamp, std::uint32_t id, const std::byte* values, std::size_t bytes,
           const Extended& extension);
  Next begin_in_context(std::uint64_t time, std::size_t bytes);
  void enter_context(const Site& site, const std::byte* values, std::size_t bytes);
  Next stop(EncodeStop why) {
    result.stop = why;
    return Next::kStop;
  }
  Next corrupt(const char* why) {
    result.corrupt_offset = static_cast<std::uint32_t>(run.p - begin);
    result.corrupt_reason = why;
    return stop(EncodeStop::kCorrupt);
  }
  std::uint64_t time_of(std::uint64_t head, std::uint8_t site_flags) const;
  void went_back(std::uint64_t time, std::uint64_t before);
  void finish(StreamCursor& cursor, std::uint64_t watermark_tsc, std::span<std::byte> out);
  std::size_t need() const { return widest_record + std::size_t{4} * site_count; }
  // A record may begin before this position; the front of the output if nothing fits.
  const std::byte* limit() const {
    const auto whole = static_cast<std::size_t>(out_end - out_begin);
    return whole < need() ? out_begin : out_end - need();
  }
  std::size_t room() const { return static_cast<std::size_t>(out_end - run.o); }

  const SiteTable& sites;
  const RunKernels* const kernels;
  std::vector<std::unique_ptr<RunPlan>> run_plans;  // by site id; null until its first run
  std::vector<SiteState> states;                    // by site id
  std::vector<std::uint32_t> site_ids;              // by index in the extent
  std::uint32_t site_count = 0;
  std::uint32_t epoch = 0;
  std::size_t widest_record = kRecordRoom;  // record_room() of the extent's sites

  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
  std::byte* out_begin = nullptr;
  std::byte* out_end = nullptr;
  std::uint64_t consumer_tsc = 0;
  Run run;
  EncodeResult result;
  std::uint64_t first_sequence = 0;
  std::uint64_t base = 0;
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
  std::uint32_t drop_cause = 0;
  std::uint32_t processor = 0;
  bool unordered = false;
  std::uint32_t copies = 0;  // 1: the extent begins with a copy of the context before it
  // The context in force, and the one at the front; with room for wide loads after the arguments.
  std::uint32_t context_site = 0;
  std::size_t context_bytes = 0;
  bool context_changed = false;
  using ContextArguments = std::array<std::byte, shm::kMaxContextBytes + kWideBytes>;
  alignas(64) ContextArguments context{};
  alignas(64) ContextArguments copied_context{};
  ArgumentEncoder arguments;
  std::array<std::byte, kMaxFixedBytes + kWideBytes> last_arguments{};
};

}  // namespace ringside::trace
