// Reads EXTENT blocks: one record at a time, or all of them at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shm-layout/loss_cause.hpp"
#include "shm-layout/record_head.hpp"
#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/codec/argument_decoder.hpp"
#include "trace-format/codec/extent_failure.hpp"
#include "trace-format/codec/run_reader.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/codec/value_history.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::trace {

class SiteChoice;

struct ExtentHeader {
  std::uint64_t stream_id = 0;
  std::uint64_t first_sequence = 0;
  std::uint64_t base_tsc = 0;
  std::uint64_t min_tsc = 0;
  std::uint64_t max_tsc = 0;
  std::uint32_t records = 0;
  std::uint32_t flags = 0;  // kExtentUnordered, kExtentLate; processor()
  std::uint64_t dropped = 0;
  std::uint32_t drop_cause = 0;  // shm::LossCause; 0: unknown, or no loss
  std::uint32_t records_bytes = 0;

  // The code of the processor of its records, shm::processor_code().
  std::uint32_t processor() const { return flags >> kExtentProcessorShift; }
  // Whether a copy of the context precedes the records; first_sequence and records exclude it.
  bool has_context() const { return (flags & kExtentContext) != 0; }
  // Whether `dropped` counts lost records, rather than those that a shipper left out.
  bool has_lost() const {
    return dropped != 0 && drop_cause != static_cast<std::uint32_t>(shm::LossCause::kNotSelected);
  }

  // False if `payload` (of an EXTENT block; at least its first 64 bytes) is too short.
  static bool parse(std::span<const std::byte> payload, ExtentHeader& header);
};

// The context of the records that follow its record in the stream. Texts point into the payload.
struct RecordContext {
  const Site* site = nullptr;
  std::vector<Value> args;  // one for each field of the site
  // The task that made the records (shm-layout/task_fields.hpp), with Contexts::kAside: its number
  // in the process; 0: none.
  std::uint64_t task = 0;
  std::uint64_t task_step = 0;
  std::string_view task_name;
};
using RecordContexts = std::vector<std::unique_ptr<RecordContext>>;

// The parts that only few records have.
struct RecordExtension {
  std::uint32_t ext_flags = 0;  // shm::kExt...: which of the members below are set
  std::uint32_t stack_id = 0;
  std::uint64_t substream = 0;
  std::uint64_t duration = 0;  // ticks
  std::array<std::uint8_t, 16> activity{};
  std::array<std::uint8_t, 16> related{};
  bool cut = false;  // strings of this record were cut to fit
  // The processor at the thread's last check: its code, shm::processor_code(). Not in ext_flags:
  // the extent has it, not the record.
  std::uint32_t processor = 0;
  // Null: none. Not in ext_flags either. Lives until the next open(), or as long as what
  // take_contexts() returned.
  const RecordContext* context = nullptr;

  bool is_empty() const { return ext_flags == 0 && context == nullptr; }
};

// One execution of a site. Views live until the next next() or open() of the decoder (or reader).
struct Record : RecordExtension {
  std::uint64_t tsc = 0;
  std::uint64_t stream_id = 0;
  std::uint64_t sequence = 0;
  const Site* site = nullptr;
  std::span<const Value> args;  // one for each field of the site, constants included
};

// The time that the head of a record has: the end of a record that is stamped there.
inline std::uint64_t head_tsc(std::uint64_t tsc, const RecordExtension& extension) {
  return (extension.ext_flags & shm::kExtFromEnd) == 0 ? tsc : tsc + extension.duration;
}

// The same during for_each(). Lives during the visit; texts as long as the payload.
struct RecordView {
  std::uint64_t tsc = 0;
  std::uint64_t sequence = 0;
  const Site* site = nullptr;
  const Value* args = nullptr;                 // one for each field of the site
  const RecordExtension* extension = nullptr;  // null: the record has none
  const RecordContext* context = nullptr;      // not that of the extension
};

// Reusable; memory is bounded by the sites that occur in one extent.
class ExtentDecoder {
 public:
  ExtentDecoder() = default;
  ExtentDecoder(const ExtentDecoder&) = delete;
  ExtentDecoder& operator=(const ExtentDecoder&) = delete;

  // kShown: the records of contexts are delivered like others. kAside: they are not; other records
  // have them, and those of a task its number as their substream. kRaw: as shown, and a copy of the
  // context at the front of an extent, too; its number is that before the first one's. Then
  // header() includes it, and no record has a context.
  enum class Contexts : std::uint8_t { kShown, kAside, kRaw };

  // `payload` of an EXTENT block (CRC already checked, but no byte is trusted) and `sites` must
  // outlive the use. Returns false with `*why` if header or site table are invalid. With a `choice`
  // (of `sites`; it must outlive the use too) only the selected records are delivered.
  bool open(std::span<const std::byte> payload, const SiteTable& sites, std::string* why,
            SiteChoice* choice = nullptr, Contexts contexts = Contexts::kShown);

  // Returns false at the end and after damage: see failed(). Texts point into `payload`; other
  // parts of `record` are valid until the next call. Start with a fresh `record`, and do not change
  // it between calls.
  bool next(Record& record);

  // Calls visit(const RecordView&) for all remaining records, at half the cost of next(). The visit
  // must not use the decoder.
  template <class Visit>
  void for_each(Visit&& visit);

  // Whether the decoder found bytes that are not a record; everything before them was valid.
  bool failed() const { return failed_ != nullptr; }
  const char* failure() const { return failed_; }  // a literal, or null
  const ExtentHeader& header() const { return header_; }
  // The number after that of the last record that was read, delivered or not.
  std::uint64_t next_sequence() const { return walk_.sequence; }

  // Whether the choice selects a site that occurs; true without a choice, even if no site occurs.
  bool has_chosen() const { return has_chosen_; }

  // Prefetches the memory that next() will need.
  void prefetch() const {
    constexpr std::uintptr_t kLine = 64;
    constexpr std::uintptr_t kLines = 4;
    // As numbers: the memory may be shorter than that, or there may be none.
    const auto values = reinterpret_cast<std::uintptr_t>(values_.data());
    const auto at = reinterpret_cast<std::uintptr_t>(walk_.at);
    __builtin_prefetch(states_.data());
    for (std::uintptr_t i = 0; i < kLines; ++i) {
      __builtin_prefetch(reinterpret_cast<const void*>(values + i * kLine));
      __builtin_prefetch(reinterpret_cast<const void*>(at + i * kLine));
    }
  }

  // The contexts of the records so far, which live as long as the payload then.
  RecordContexts take_contexts() { return std::move(contexts_); }

  // Ids of the sites that occur.
  std::span<const std::uint32_t> site_ids() const { return site_ids_; }

 private:
  struct SiteState {
    SiteState* successor = nullptr;
    const ReadPlan* plan = nullptr;
    Value* values = nullptr;  // null: the dictionary lacks the site
    const Site* site = nullptr;
    ReadKind kind = ReadKind::kAny;
    std::uint8_t use = kChosen;  // of its records; 0: none
  };
  static constexpr std::uint8_t kChosen = 1;
  static constexpr std::uint8_t kContext = 2;
  // The decoder's position: kept in registers while it runs.
  struct Walk {
    const std::byte* at = nullptr;
    const std::byte* end = nullptr;  // of the records
    SiteState* site = nullptr;       // of the preceding record
    std::uint64_t time = 0;
    std::uint64_t sequence = 0;  // of the next record
    std::uint64_t end_sequence = 0;
  };
  struct Head {
    const std::byte* at = nullptr;  // after it
    std::uint64_t delta = 0;
    std::uint64_t index = 0;
    unsigned place = 0;
    bool extended = false;
  };

  bool fail(const char* why) {
    failed_ = why;
    return false;
  }
  bool fail_site(const SiteState* site);
  void open_sites(const SiteTable& sites, SiteChoice* choice, Contexts contexts);
  const char* take_copy();
  bool enter_context(const SiteState& site);
  void add_task();
  bool step(Walk& walk, const RecordExtension*& extension, const RecordExtension* shared);
  bool take_head(Walk& walk, bool& same_values, const RecordExtension*& extension);
  template <class Visit>
  void run_on(Walk& walk, Visit& visit);
  bool take_rare_head(const std::byte* at, Head& head);
  // Of the record that has just been read, with extension_, whose head has the time `tsc`.
  std::uint64_t own_time(std::uint64_t tsc) const {
    return (extension_.ext_flags & shm::kExtFromEnd) == 0 ? tsc : tsc - extension_.duration;
  }
  const std::byte* take_arguments(const SiteState& site, const std::byte* at);
  std::size_t index_limit() const { return states_.size() - 1; }

  // The members that each record needs come first and together.
  Walk walk_;
  const char* failed_ = nullptr;
  std::vector<SiteState> states_;  // by index in the site table, and one without a site
  std::vector<Value> values_;
  ExtentHeader header_;
  bool has_chosen_ = true;
  std::vector<std::uint32_t> site_ids_;
  std::vector<std::uint32_t> seen_;  // by site id: number of the last open() that had it
  std::uint32_t open_count_ = 0;
  RecordExtension extension_;
  const RecordContext* context_ = nullptr;  // in force
  bool context_used_ = false;               // a record in it was delivered
  std::size_t context_values_ = 0;          // of contexts_
  bool knows_tasks_ = false;
  // Of records without an extension of their own: null, or the task's.
  const RecordExtension* shared_ = nullptr;
  RecordExtension task_extension_;
  RecordContexts contexts_;
  ValueHistory history_;
};

// Reads tag, time and index; moves to the record's site.
[[gnu::always_inline]] inline bool ExtentDecoder::take_head(Walk& walk, bool& same_values,
                                                            const RecordExtension*& extension) {
  constexpr std::ptrdiff_t kMost = 1 + 8 + 8;  // the index is loaded with 8 bytes
  std::uint64_t index = 0;
  unsigned place = kPlaceExtension;
  if (walk.end - walk.at >= kMost) [[likely]] {
    const auto tag = static_cast<unsigned>(*walk.at);
    // With its own branch, the common case lets the processor start the next record before this
    // one's tag has arrived.
    if ((tag & ~(kPlaceSameValues << 4)) == 1) {
      walk.time += static_cast<std::uint64_t>(walk.at[1]);
      walk.at += 2;
      walk.site = walk.site->successor;
      same_values = tag != 1;
      return true;
    }
    const unsigned code = tag & 15;
    if (code <= 8) [[likely]] {
      place = tag >> 4;
      if (place < kPlaceExtension) [[likely]] {
        const unsigned index_bytes = place >> 1;
        walk.time += load<std::uint64_t>(walk.at + 1) & kByteMasks[code];
        index = load<std::uint64_t>(walk.at + 1 + code) & kByteMasks[index_bytes];
        walk.at += 1 + code + index_bytes;
      }
    }
  }
  if (place >= kPlaceExtension) [[unlikely]] {
    Head head;
    if (!take_rare_head(walk.at, head)) return false;
    walk.at = head.at;
    walk.time += head.delta;
    index = head.index;
    place = head.place;
    if (head.extended) extension = &extension_;
    if (head.extended && own_time(walk.time) > walk.time) return fail(kLongDuration);
  }
  same_values = (place & kPlaceSameValues) != 0;
  if (place < kPlaceIndex1) {
    walk.site = walk.site->successor;
    return true;
  }
  if (index >= index_limit()) [[unlikely]]
    return fail(kNoSuchIndex);
  SiteState* const site = states_.data() + index;
  walk.site->successor = site;
  walk.site = site;
  return true;
}

// Reads one record: false at the end. `shared` is the extension of a record without one.
[[gnu::always_inline]] inline bool ExtentDecoder::step(Walk& walk,
                                                       const RecordExtension*& extension,
                                                       const RecordExtension* shared) {
  extension = shared;
  if (walk.sequence == walk.end_sequence) [[unlikely]] {
    return walk.at == walk.end ? false : fail(kBytesLeft);
  }
  bool same_values = false;
  if (!take_head(walk, same_values, extension)) [[unlikely]]
    return false;
  if (walk.site->values == nullptr) [[unlikely]]
    return fail_site(walk.site);
  if (!same_values && walk.site->kind != ReadKind::kNothing) {
    walk.at = take_arguments(*walk.site, walk.at);
    if (walk.at == nullptr) [[unlikely]] {
      return false;
    }
  }
  ++walk.sequence;
  return true;
}

template <class Visit>
void ExtentDecoder::for_each(Visit&& visit) {
  if (failed_ != nullptr) return;
  Walk walk = walk_;
  const RecordExtension* extension = nullptr;
  const auto pass_by = [](std::uint64_t, std::uint64_t) {};
  while (step(walk, extension, shared_)) {
    const SiteState& site = *walk.site;
    if (site.use != kChosen) [[unlikely]] {
      if (site.use >= kContext && !enter_context(site)) break;
      if (site.use == 0 && site.successor == &site) run_on(walk, pass_by);
      if ((site.use & kChosen) == 0) continue;
    }
    std::uint64_t time = walk.time;
    if (extension != shared_) [[unlikely]] {
      time = own_time(time);
      add_task();
    }
    context_used_ = true;
    visit(RecordView{time, walk.sequence - 1, site.site, site.values, extension, context_});
    if (site.successor == &site && site.use == kChosen) {
      const auto visit_one = [this, &visit, &site](std::uint64_t tsc, std::uint64_t sequence) {
        visit(RecordView{tsc, sequence, site.site, site.values, shared_, context_});
      };
      run_on(walk, visit_one);
    }
  }
  walk_ = walk;
}

// Continues over records of the same site until something rare comes.
template <class Visit>
void ExtentDecoder::run_on(Walk& walk, Visit& visit) {
  const SiteState& site = *walk.site;
  const ReadPlan& plan = *site.plan;
  const std::ptrdiff_t needed = 9 + static_cast<std::ptrdiff_t>(plan.quick_bytes);
  if (walk.end - walk.at < needed) return;
  const auto run = [&](const auto& reader) {
    const RunPosition end = read_run({walk.at, walk.time, walk.sequence}, walk.end - needed,
                                     walk.end_sequence, reader, visit);
    walk.at = end.at;
    walk.time = end.time;
    walk.sequence = end.sequence;
  };
  switch (site.kind) {
    case ReadKind::kNothing:
      return run(NothingReader{});
    case ReadKind::kIntegers:
      if (plan.fields.size() == 1) return run(OneIntegerReader(plan, site.values));
      return run(IntegersReader{plan, site.values});
    case ReadKind::kScalars:
      return run(ScalarsReader{plan, site.values, history_.numbers()});
    case ReadKind::kSkip:
      if (plan.pairs.size() == 1) return run(FewSkippingReader<1>(plan));
      if (plan.pairs.size() == 2) return run(FewSkippingReader<2>(plan));
      if (plan.pairs.size() == 3) return run(FewSkippingReader<3>(plan));
      return run(SkippingReader{plan});
    case ReadKind::kNumbers:
    case ReadKind::kAny:
      return;
  }
}

}  // namespace ringside::trace
