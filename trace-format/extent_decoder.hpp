// Reads EXTENT blocks, one record at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace-format/format_constants.hpp"
#include "trace-format/site_table.hpp"
#include "trace-format/value.hpp"

namespace ringside::trace {

struct ExtentHeader {
  std::uint64_t stream_id = 0;
  std::uint64_t first_sequence = 0;
  std::uint64_t base_tsc = 0;
  std::uint64_t min_tsc = 0;
  std::uint64_t max_tsc = 0;
  std::uint32_t records = 0;
  std::uint32_t flags = 0;  // kExtentUnordered, kExtentLate
  std::uint64_t dropped = 0;
  std::uint32_t drop_cause = 0;  // shm::DropCause, 0 for none
  std::uint32_t records_bytes = 0;

  // False if `payload` (of an EXTENT block; at least its first 64 bytes) is too short.
  static bool parse(std::span<const std::byte> payload, ExtentHeader& header);
};

// One execution of a site. Views live until the decoder's (or reader's) next next() or open().
struct Record {
  std::uint64_t tsc = 0;
  std::uint64_t stream_id = 0;
  std::uint64_t sequence = 0;
  const Site* site = nullptr;
  std::span<const Value> args;  // one for each field of the site, constants included
  std::uint32_t ext_flags = 0;  // shm::kExt...: which of the members below are set
  std::uint32_t stack_id = 0;
  std::uint64_t substream = 0;
  std::uint64_t duration = 0;  // ticks
  std::array<std::uint8_t, 16> activity{};
  std::array<std::uint8_t, 16> related{};
  bool cut = false;  // strings of this record were cut to fit
};

// Reusable; memory stays bounded by the sites that occur in one extent.
class ExtentDecoder {
 public:
  // `payload` of an EXTENT block (CRC already checked; still, no byte of it is trusted) and `sites`
  // must outlive the use. False with `*why` if header or site table are not sound.
  bool open(std::span<const std::byte> payload, const SiteTable& sites, std::string* why);

  // False at the end and after damage: see failed(). Texts point into `payload`; other parts of
  // `record` are valid until the next call.
  bool next(Record& record);

  // Whether the last next() met bytes that are no record; what came before was sound.
  bool failed() const { return failed_ != nullptr; }
  const char* failure() const { return failed_; }  // a literal, or null
  const ExtentHeader& header() const { return header_; }

  // Ids of the sites that occur.
  std::span<const std::uint32_t> site_ids() const { return site_ids_; }

 private:
  struct SiteState {
    const Site* site = nullptr;
    std::uint32_t values = 0;  // place in values_, or kNoValues before its first record
    std::uint32_t successor = 0;
  };

  bool fail(const char* why);
  bool take_head(unsigned& place, std::uint64_t& delta, std::uint64_t& index);
  bool take_any_head(Record& record, unsigned& place, std::uint64_t& delta, std::uint64_t& index);
  bool read_extension(Record& record);
  bool read_arguments(SiteState& state);
  bool read_value(unsigned tag, const FieldPlan& plan, const Field& field, Value& value);
  bool read_integer128(unsigned tag, Value& value);
  bool read_float64(unsigned tag, Value& value);
  bool read_text(unsigned tag, const FieldPlan& plan, Value& value);
  bool take(std::size_t bytes, std::uint64_t& value);  // 0 to 8 bytes
  bool take_leb128(std::uint64_t& value);

  ExtentHeader header_;
  std::vector<std::uint32_t> site_ids_;
  std::vector<SiteState> states_;
  std::vector<Value> values_;
  std::vector<std::uint32_t> seen_;  // by site id: number of the last open() that had it
  std::uint32_t open_count_ = 0;
  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;  // of the records
  std::uint64_t time_ = 0;
  std::uint32_t done_ = 0;
  std::uint32_t previous_index_ = 0;
  bool numbers_used_ = false;
  bool texts_used_ = false;
  const char* failed_ = nullptr;
  std::array<std::uint64_t, kHistorySlots> numbers_{};
  std::array<std::string_view, kHistorySlots> texts_{};
};

}  // namespace ringside::trace
