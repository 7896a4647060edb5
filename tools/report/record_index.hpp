#pragma once
// The index of the kept records: what the page needs of all of them, before it decodes a chunk.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tools/report/time_grid.hpp"

namespace ringside::tool {

struct IndexedRecord {
  std::uint64_t unix_ns = 0;
  std::int32_t statement = -1;
  std::int32_t stream = -1;
  std::int32_t form = -1;
  std::int32_t context = -1;
  std::uint8_t reason = 0;
  bool is_cut = false;
};

class RecordIndex {
 public:
  struct Selection {
    std::uint64_t records = 0;  // of the trace
    bool has_all = true;
    unsigned halvings = 0;
    std::span<const std::uint64_t> seen;  // by reason: how many it applied to
    std::uint64_t sample_intervals = 1;   // of the grid, that have one sample for each statement
    std::size_t further_forms = 0;        // that are left out
  };

  RecordIndex(const TimeGrid& grid, std::size_t chunk_records)
      : grid_(grid), chunk_records_(chunk_records) {}

  void add(const IndexedRecord& record) { records_.push_back(record); }
  void describe(const Selection& selection);
  // `forms`: of UsedForms.
  std::string json(const std::string& forms) const;

 private:
  const TimeGrid& grid_;
  std::size_t chunk_records_;
  std::string selection_;
  std::vector<std::uint64_t> seen_;
  std::vector<IndexedRecord> records_;
};

}  // namespace ringside::tool
