// Reads runs of records of one site, which follow each other without naming it: the loop is small
// enough to keep all its state in registers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/argument_decoder.hpp"

namespace ringside::trace {

// The position in a run.
struct RunPosition {
  const std::byte* at = nullptr;  // a record
  std::uint64_t time = 0;         // of the preceding record
  std::uint64_t sequence = 0;     // of the record at `at`
};

// read(at): the end of the arguments at `at`, or null if they are invalid.
struct NothingReader {
  const std::byte* read(const std::byte* at) const { return at; }
};

struct SkippingReader {
  const ReadPlan& plan;
  const std::byte* read(const std::byte* at) const { return skip_arguments(plan, at); }
};

// The same for so few tags that the pointers to the tables fit into registers.
template <std::size_t kPairs>
class FewSkippingReader {
 public:
  explicit FewSkippingReader(const ReadPlan& plan) {
    for (std::size_t i = 0; i < kPairs; ++i) lengths_[i] = plan.pairs[i].lengths->data();
  }
  const std::byte* read(const std::byte* at) const {
    std::size_t bytes = 0;
    unsigned all = 0;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kPairs; ++i) {
      const unsigned of_pair = lengths_[i][static_cast<std::size_t>(at[i])];
      bytes += of_pair;
      all |= of_pair;
    }
    return (all & kNoSuchTag) == 0 ? at + kPairs + bytes : nullptr;
  }

 private:
  const std::uint8_t* lengths_[kPairs];
};

class OneIntegerReader {
 public:
  OneIntegerReader(const ReadPlan& plan, Value* values)
      : field_(plan.fields.front()), value_(values + field_.field) {
    if (values == nullptr) __builtin_unreachable();  // there is room for a value of each field
  }
  const std::byte* read(const std::byte* at) const {
    const auto tag = static_cast<unsigned>(*at) & 15;
    // The lengths of all tags in one word: a shift is faster than a load.
    const std::byte* const next = at + 1 + (kIntegerLengths >> (4 * tag) & 15);
    read_integer(tag, field_, ++at, *value_);
    return next;
  }

 private:
  ReadField field_;
  Value* value_;
};

struct IntegersReader {
  const ReadPlan& plan;
  Value* values;
  const std::byte* read(const std::byte* at) const { return read_integers(plan, values, at); }
};

struct ScalarsReader {
  const ReadPlan& plan;
  Value* values;
  std::uint64_t* numbers;
  const std::byte* read(const std::byte* at) const {
    return read_scalars(plan, values, numbers, at);
  }
};

// Calls visit(time, sequence) for each record from `run` until one has another form, is invalid,
// begins after `limit`, or has the number `end_sequence`; moves `run` to it. At least 9 bytes and
// plan.quick_bytes must follow `limit`.
template <class Reader, class Visit>
[[gnu::noinline]] RunPosition read_run(RunPosition run, const std::byte* limit,
                                       std::uint64_t end_sequence, const Reader reader,
                                       Visit& visit) {
  while (run.sequence != end_sequence && run.at <= limit) {
    const auto tag = static_cast<unsigned>(*run.at);
    const std::byte* at = run.at + 2;
    std::uint64_t delta = static_cast<std::uint64_t>(run.at[1]);
    // A branch instead of a table: the processor continues before the tag has arrived.
    if ((tag & ~(kPlaceSameValues << 4)) != 1) [[unlikely]] {
      const unsigned code = tag & 15;
      if (tag >= kPlaceIndex1 << 4 || code > 8) break;
      delta = load<std::uint64_t>(run.at + 1) & kByteMasks[code];
      at = run.at + 1 + code;
    }
    if (tag < kPlaceSameValues << 4) {
      at = reader.read(at);
      if (at == nullptr) [[unlikely]] {
        break;
      }
    }
    run.at = at;
    run.time += delta;
    visit(run.time, run.sequence);
    ++run.sequence;
  }
  return run;
}

}  // namespace ringside::trace
