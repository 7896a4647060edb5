#pragma once
// What is known of a trace before its events are read: when something happened to its collection,
// where its end is, and whether it is long. So one pass can keep the records around these moments,
// and need not prepare for what will not come.

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "trace-format/blocks/collection_block.hpp"
#include "trace-format/reader/read_options.hpp"

namespace ringside::tool {

// What is collected was changed, for example by a trigger of consumerd.
struct CollectionMoment {
  std::uint64_t unix_ns = 0;
  std::array<std::uint8_t, 16> segment{};
  std::string service;
  std::uint32_t pid = 0;
  trace::CollectionChange change;
};

struct KnownMoments {
  static constexpr std::size_t kMostChanges = 2'000;
  static constexpr std::size_t kLastRecords = 1'000;
  static constexpr std::uint64_t kManyRecords = 60'000;

  std::vector<CollectionMoment> changes;  // by time; the first kMostChanges
  std::uint64_t further_changes = 0;
  // The last records begin here.
  std::uint64_t last_from_ns = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t last_ns = 0;      // of the last record that is wanted; 0: unknown
  bool has_many_records = false;  // more than kManyRecords are wanted, according to extents

  // Which records are wanted: all of the trace, those that the reader's options select, or only
  // some of these.
  enum class Wanted : std::uint8_t { kAll, kAsRead, kFewer };

  // Of files and directories. Paths that cannot be read leave what is known empty: reading them for
  // events reports why.
  static KnownMoments of(const std::vector<std::string>& paths, const trace::ReadOptions& reading,
                         Wanted wanted);
};

}  // namespace ringside::tool
