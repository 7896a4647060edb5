// Reads runs of records of which at most one value is wanted. A record begins where the preceding
// one ends, which takes three dependent loads to find out. Its arguments often have as many bytes
// as those of the preceding record: a branch on that guess lets the processor begin with the next
// record before this one's length is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "trace-format/codec/argument_decoder.hpp"
#include "trace-format/codec/run_reader.hpp"

namespace ringside::trace {

// Finds the length of arguments whose tags take kPairs bytes.
template <std::size_t kPairs>
class ArgumentsOfPairs {
 public:
  explicit ArgumentsOfPairs(const ReadPlan& plan) {
    for (std::size_t i = 0; i < kPairs; ++i) lengths_[i] = plan.pairs[i].lengths->data();
  }

  // Of tags and values. False if a tag is invalid.
  bool length(const std::byte* tags, std::size_t& bytes) const {
    std::size_t sum = 0;
    unsigned all = 0;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kPairs; ++i) {
      const unsigned of_pair = of(tags, i);
      sum += of_pair;
      all |= of_pair;
    }
    bytes = kPairs + sum;
    return (all & kNoSuchTag) == 0;
  }
  unsigned of(const std::byte* tags, std::size_t i) const {
    return lengths_[i][static_cast<std::size_t>(tags[i])];
  }

 private:
  const std::uint8_t* lengths_[kPairs];
};

// Reads nothing.
template <std::size_t kPairs>
struct NoValueReader : ArgumentsOfPairs<kPairs> {
  explicit NoValueReader(const ReadPlan& plan) : ArgumentsOfPairs<kPairs>(plan) {}
  void take(const std::byte* /*tags*/) const {}
};

// Reads the one field whose value is wanted: an f64 (kFloat), or an integer.
template <std::size_t kPairs, bool kFloat>
class OneValueReader : public ArgumentsOfPairs<kPairs> {
 public:
  // `wanted`: its index in the plan.
  OneValueReader(const ReadPlan& plan, std::size_t wanted, Value* values, std::uint64_t* numbers)
      : ArgumentsOfPairs<kPairs>(plan),
        field_(plan.fields[wanted]),
        value_(values + field_.field),
        numbers_(numbers),
        pair_(wanted / 2),
        shift_(wanted % 2 == 0 ? 0U : 4U) {
    if (values == nullptr) __builtin_unreachable();  // there is room for a value of each field
    for (std::size_t i = 0; i < pair_; ++i) before_[i] = 0xFF;
    if (shift_ != 0) {
      low_lengths_ = kTagLengths[static_cast<std::size_t>(plan.fields[wanted - 1].coding)].data();
    }
  }

  // The tags must be valid.
  void take(const std::byte* tags) const {
    const auto both = static_cast<unsigned>(tags[pair_]);
    const std::byte* at = tags + kPairs;
#pragma GCC unroll 4
    for (std::size_t i = 0; i + 1 < kPairs; ++i) at += this->of(tags, i) & before_[i];
    at += low_lengths_[both & 15];
    const unsigned tag = both >> shift_ & 15;
    if constexpr (kFloat) {
      read_float64(tag, numbers_, at, *value_);
    } else {
      read_integer(tag, field_, at, *value_);
    }
  }

 private:
  static constexpr std::uint8_t kNoBytes[16] = {};

  ReadField field_;
  Value* value_;
  std::uint64_t* numbers_;
  std::size_t pair_;
  unsigned shift_;
  unsigned before_[kPairs] = {};                // masks: pairs before the field's
  const std::uint8_t* low_lengths_ = kNoBytes;  // of the other field of its pair, if that is first
};

// The index of the only field that is read; empty if there is none, or another number of them.
inline std::optional<std::size_t> only_wanted(const ReadPlan& plan) {
  std::optional<std::size_t> wanted;
  for (std::size_t i = 0; i < plan.fields.size(); ++i) {
    if (plan.fields[i].action == ReadAction::kSkip) continue;
    if (wanted) return std::nullopt;
    wanted = i;
  }
  return wanted;
}

// The same as read_run(), which continues where this one ends. Ends early when lengths change
// often.
template <class Reader, class Visit>
[[gnu::noinline]] RunPosition read_guessed_run(RunPosition run, const std::byte* limit,
                                               std::uint64_t end_sequence, const Reader reader,
                                               Visit& visit) {
  constexpr std::int64_t kRecordsOfMiss = 4;  // with more misses, waiting for the length is faster
  std::int64_t credit = 64 * kRecordsOfMiss;
  std::size_t guess = 0;
  std::size_t last_miss = 0;
  while (run.sequence != end_sequence && run.at <= limit) {
    const auto tag = static_cast<unsigned>(*run.at);
    const std::byte* at = run.at + 2;
    std::uint64_t delta = static_cast<std::uint64_t>(run.at[1]);
    if ((tag & ~(kPlaceSameValues << 4)) != 1) [[unlikely]] {
      const unsigned code = tag & 15;
      if (tag >= kPlaceIndex1 << 4 || code > 8) break;
      delta = load<std::uint64_t>(run.at + 1) & kByteMasks[code];
      at = run.at + 1 + code;
    }
    if (tag < kPlaceSameValues << 4) {
      std::size_t bytes = 0;
      if (!reader.length(at, bytes)) [[unlikely]]
        break;
      reader.take(at);
      std::size_t known = guess;
      // The compiler must not replace the guess by the equal, but later, length.
      asm("" : "+r"(known));
      if (bytes != guess) [[unlikely]] {
        asm volatile("");  // a branch, not a conditional move
        known = bytes;
        // A single record of another length does not change the guess.
        if (bytes == last_miss) guess = bytes;
        last_miss = bytes;
        credit -= kRecordsOfMiss;
      }
      at += known;
      ++credit;
    }
    run.at = at;
    run.time += delta;
    visit(run.time, run.sequence);
    ++run.sequence;
    if (credit < 0) [[unlikely]]
      break;
  }
  return run;
}

}  // namespace ringside::trace
