#pragma once
// Reads a segment as a consumer does, from its file and by shm-layout alone.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "shm-layout/call_costs.hpp"
#include "shm-layout/control_page.hpp"
#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/nested_records.hpp"
#include "shm-layout/record_head.hpp"
#include "shm-layout/ring_metadata.hpp"
#include "shm-layout/segment_layout.hpp"
#include "shm-layout/site_executions.hpp"

namespace ringside::test {

struct Field {
  shm::FieldType type;
  bool is_format_arg;
  std::string name;
  std::string constant = {};  // "type value", as in Record; empty: the values are in the records
  std::uint32_t enum_table_id = 0;
};

struct Site {
  std::uint32_t id;
  std::uint32_t line;
  shm::Level level;
  std::uint8_t flags;
  std::string format;
  std::string file;
  std::string function;
  std::vector<Field> fields;
  std::string name = {};
  shm::SiteKind kind = {};
  std::string category = {};
  std::uint64_t keywords = 0;
};

struct Record {
  std::uint64_t pos = 0;
  std::uint64_t bytes = 0;
  std::uint32_t code = 0;   // site id, or the code of a control record
  std::uint64_t tsc = 0;    // lower 44 bits
  std::uint32_t flags = 0;  // of an extended record
  // Of an extended record without a substream and a stack.
  std::uint64_t duration = 0;  // ticks
  std::array<std::uint8_t, 16> activity{};
  std::array<std::uint8_t, 16> related{};
  std::uint64_t words[2] = {};  // of a clock or drop record
  // "type value"; a string without quotes; an array: "[type value, type value]"
  std::vector<std::string> values;

  bool is_data() const { return code < shm::kFirstControlCode; }
  bool is_cut() const { return (flags & shm::kExtCut) != 0; }
};

class SegmentReader {
 public:
  // Maps a live or left-over segment; throws std::runtime_error if it is invalid.
  explicit SegmentReader(const std::string& path);
  ~SegmentReader();
  SegmentReader(const SegmentReader&) = delete;
  SegmentReader& operator=(const SegmentReader&) = delete;

  const shm::SegmentHeader& header() const;
  const shm::SegmentLayout& layout() const { return layout_; }
  shm::ControlPage& control() const;
  shm::RingMetadata& ring(std::uint32_t index) const;
  // The call costs of a ring; throws if the segment does not measure calls.
  const shm::CallCosts& call_costs(std::uint32_t index) const;
  // What a consumer finds of a call that never ends.
  const shm::NestedRecords& nested(std::uint32_t index) const;
  std::uint8_t site_switch(std::uint32_t site_id) const;
  void set_site_switch(std::uint32_t site_id, std::uint8_t state);
  // Sums over the stripes.
  struct Executions {
    std::uint64_t counted = 0;
    std::uint64_t suppressed = 0;
    int stripes = 0;  // that have counted
  };
  Executions executions(std::uint32_t site_id) const;
  std::uint32_t rings_used() const;

  // The statements registered until now, by id.
  const std::map<std::uint32_t, Site>& sites();
  // The only statement with this format; throws if there is none or more than one.
  const Site& site(const std::string& format);
  std::size_t count_sites(const std::string& format);
  // The names of an enumeration's values; empty if there is no such table.
  std::map<std::int64_t, std::string> enumeration(std::uint32_t table_id);

  // Every record of ring `index` between the positions, in order. Throws on any byte that is not
  // part of a valid record.
  std::vector<Record> records(std::uint32_t index, std::uint64_t from, std::uint64_t to);
  // All records that are published and not consumed.
  std::vector<Record> records(std::uint32_t index);
  // The same without clock, drop and pad records.
  std::vector<Record> data(std::uint32_t index);

  // The ring that the calling thread uses.
  std::uint32_t my_ring() const;

 private:
  void add_enumeration(std::span<const std::byte> entry);
  void copy(std::uint32_t index, std::uint64_t pos, void* out, std::size_t bytes) const;

  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  shm::SegmentLayout layout_{};
  std::map<std::uint32_t, Site> sites_;
  std::map<std::uint32_t, std::map<std::int64_t, std::string>> enumerations_;
  std::uint64_t dictionary_read_ = 0;
};

// The segment of the calling process.
SegmentReader& own_segment();

// The values of the last record of the calling thread.
std::vector<std::string> last_values();

}  // namespace ringside::test
