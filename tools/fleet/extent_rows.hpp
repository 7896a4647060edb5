#pragma once
// The records of one extent as rows.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "tools/fleet/extent_message.hpp"
#include "tools/fleet/message_dictionary.hpp"
#include "tools/fleet/row_batch.hpp"
#include "trace-format/blocks/tick_clock.hpp"
#include "trace-format/codec/extent_decoder.hpp"

namespace ringside::fleet {

// The `extent` of rows that a snapshot sent: views do not count them, because the same records can
// come in other extents.
inline constexpr std::uint64_t kSnapshotExtent = std::numeric_limits<std::uint64_t>::max();

// What all rows of a message share.
struct RowOrigin {
  std::string_view tenant;
  std::string_view service;
  std::string_view host;
  std::uint32_t pid = 0;
  std::uint64_t tick_hz = 0;
  SegmentUuid segment{};
  bool is_subset = false;
  bool is_snapshot = false;
  trace::TickClock clock;
};

// Of one stream.
struct RowThread {
  std::uint32_t id = 0;
  std::string_view name;
};

// Not thread-safe. Reusable.
class ExtentRows {
 public:
  using AddStatement = std::function<void(const StatementFacts&)>;

  // `add_statement` is called at least once for each statement that occurs in a batch.
  explicit ExtentRows(AddStatement add_statement) : add_statement_(std::move(add_statement)) {}

  // Adds the records of an EXTENT block's payload. Ignores what would exceed `most_bytes` and says
  // so with false, as for an invalid extent: then rows have been added that must be rolled back.
  bool add(std::span<const std::byte> payload, RowOrigin& origin, const RowThread& thread,
           MessageDictionary& dictionary, RowBatch& batch, std::size_t most_bytes,
           std::string* why);

 private:
  void add_record(const trace::RecordView& record, RowOrigin& origin, MessageDictionary& dictionary,
                  RecordColumns& out, std::uint64_t generation);
  void add_fields(const trace::RecordView& record, StatementFacts& facts, TextColumn& out);

  const AddStatement add_statement_;
  trace::ExtentDecoder decoder_;
  trace::TextSink text_;
  std::size_t text_bytes_ = 0;  // of this extent
};

}  // namespace ringside::fleet
