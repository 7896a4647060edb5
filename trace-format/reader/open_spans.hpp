// Spans with two records: which of the two a record is, and which spans have no end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include "trace-format/blocks/read_report.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/reader/site_scan.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::trace {

// The index of the field that relates the two records of a span of this statement
// (shm-layout/span_id_field.hpp). Empty: its spans have one record.
std::optional<std::uint16_t> span_id_field(const Site& site);

// Whether a record of this statement with these flags is the first of the two: then it has no
// duration. The second one has it, and is the whole span.
inline bool is_span_begin(const Site& site, std::uint32_t ext_flags) {
  return site.kind == shm::SiteKind::kSpan && (ext_flags & shm::kExtDuration) == 0 &&
         span_id_field(site).has_value();
}
inline bool is_span_begin(const Event& event) {
  return event.kind == EventKind::kRecord && event.record.site != nullptr &&
         is_span_begin(*event.record.site, event.record.ext_flags);
}
// The id of a span with two records; empty for other records.
std::optional<std::uint64_t> span_id(const Event& event);

// Finds the spans whose end is not in the trace, whatever the order of the records. Ids are those
// of one process. Memory: the spans that are open at a time. Not thread-safe.
class OpenSpans {
 public:
  // Adds all records of the traces in `paths`, files or directories. False with `*error` if one
  // cannot be read: the others are added. Damage is skipped without a report.
  bool add(std::span<const std::string> paths, ReadError* error);
  void add(SiteScan& scan);

  // For the first record of a span, after all records were added.
  bool contains(const Event& begin) const;

 private:
  using Key = std::pair<std::array<std::uint8_t, 16>, std::uint64_t>;  // segment, id
  struct KeyHash {
    // The ids of a process begin with a random number.
    std::size_t operator()(const Key& key) const { return std::hash<std::uint64_t>()(key.second); }
  };
  using Keys = std::unordered_set<Key, KeyHash>;

  Keys begun_;
  Keys ended_;  // before their beginning was read, or without it
};

}  // namespace ringside::trace
