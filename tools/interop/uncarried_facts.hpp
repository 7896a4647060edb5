#pragma once
// Counts, at little cost, what records have and most viewers' formats cannot carry.

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>

#include "tools/interop/conversion_report.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::tool {

enum class Fact : std::uint8_t {
  // Requested by the constructor, found by look().
  kKind,
  kLevel,
  kKeywords,
  kSource,  // file, line, function
  kCategory,
  kSequence,
  kFields,
  kSubstream,
  kActivity,
  kRelated,
  kStack,
  kProcessor,
  kCut,
  kLosses,
  kPoints,  // records without a duration
  // Found by the writers.
  kText,     // bytes that are not UTF-8
  kRange,    // numbers
  kOverlap,  // spans
  kName,     // characters of names
  kCount
};

// Not thread-safe.
class UncarriedFacts {
 public:
  UncarriedFacts(ConversionReport& report, std::initializer_list<Fact> uncarried);

  // Counts the facts of `event` that are not carried.
  void look(const trace::Event& event);

  // Counts records that have texts with bytes that are not UTF-8.
  void look_at_texts(const trace::Event& event);

  void count(Fact fact, std::uint64_t records = 1) {
    counts_[static_cast<std::size_t>(fact)] += records;
  }

  // Removes from the count records that look() has counted and that are carried in another way.
  void carried(Fact fact, std::uint64_t records = 1) {
    std::uint64_t& count = counts_[static_cast<std::size_t>(fact)];
    count -= std::min(count, records);
  }

  // Adds the counts to the report, once, at the end.
  void tell();

 private:
  bool is_uncarried(Fact fact) const { return uncarried_[static_cast<std::size_t>(fact)]; }
  void count_if(Fact fact, bool has) {
    counts_[static_cast<std::size_t>(fact)] += static_cast<unsigned>(has && is_uncarried(fact));
  }

  ConversionReport& report_;
  std::array<bool, static_cast<std::size_t>(Fact::kCount)> uncarried_{};
  std::array<std::uint64_t, static_cast<std::size_t>(Fact::kCount)> counts_{};
};

}  // namespace ringside::tool
