#pragma once
// The counts that `ringcat inspect` reports of a NetTrace file.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tools/interop/nettrace/nettrace_metadata.hpp"
#include "tools/interop/nettrace/nettrace_reader.hpp"
#include "tools/interop/nettrace/nettrace_sequence.hpp"
#include "tools/interop/sorted_lines.hpp"
#include "tools/interop/spilled_text.hpp"
#include "tools/interop/text_digest.hpp"

namespace ringside::tool::nettrace {

struct StackCounts {
  std::uint64_t count = 0;
  std::uint64_t empty = 0;
  std::uint64_t bytes = 0;
  std::uint64_t frames = 0;
  std::uint64_t max_frames = 0;
  std::optional<std::uint32_t> first_id;
  std::optional<std::uint32_t> last_id;
  std::uint64_t events_with_frames = 0;
  std::uint64_t events_unresolved = 0;
};

struct EventTypeCounts {
  std::uint64_t events = 0;
  std::uint64_t payload_bytes = 0;
};

struct Statistics {
  TraceFacts trace;
  std::map<std::string, std::uint64_t> objects;
  std::set<std::string> object_versions;
  std::uint64_t compressed_blocks = 0;
  std::uint64_t plain_blocks = 0;
  std::map<std::uint16_t, std::uint64_t> block_header_bytes;
  std::array<std::uint64_t, 256> flag_bytes{};
  std::uint64_t events = 0;
  // Provider, event id, event name, version.
  using EventType = std::tuple<std::string, std::uint32_t, std::string, std::uint32_t>;
  std::map<EventType, EventTypeCounts> types;
  std::uint64_t events_without_metadata = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t sorted_events = 0;
  std::uint64_t events_with_activity = 0;
  std::uint64_t events_with_related_activity = 0;
  std::uint64_t events_with_stack_id = 0;
  std::array<std::uint64_t, 4> payload_fits{};  // by PayloadFit
  std::uint64_t metadata_records = 0;
  std::uint64_t metadata_redefinitions = 0;
  std::array<std::uint64_t, 4> descriptions{};  // by FieldDescription
  std::uint64_t metadata_with_opcode = 0;
  StackCounts stacks;
  std::uint64_t sequence_points = 0;
  std::optional<std::uint64_t> first_timestamp;
  std::optional<std::uint64_t> last_timestamp;
  std::unordered_set<std::uint64_t> capture_threads;
  std::unordered_set<std::uint64_t> threads;
  std::unordered_set<std::uint32_t> processors;
  std::uint64_t out_of_order_events = 0;
  std::uint64_t events_outside_sequence_points = 0;
  std::uint64_t events_outside_block_range = 0;
  SequenceLedger ledger;
};

// Collects the counts while a Reader walks. Memory does not grow with the events, but with the
// threads and the types of events, and with the stacks between two sequence points.
class StatisticsVisitor final : public Visitor {
 public:
  // `with_lines`: makes the canonical line of each event, for digests and the CSV.
  explicit StatisticsVisitor(bool with_lines) : with_lines_(with_lines) {}

  void object(const ObjectFacts& object) override;
  std::string trace(const TraceFacts& trace) override;
  void block(const BlockFacts& block) override;
  void event(const Blob& blob) override;
  std::string metadata(const Blob& blob) override;
  void stack(std::uint32_t id, std::span<const std::byte> addresses) override;
  void sequence_point(std::uint64_t timestamp, std::uint32_t threads) override;
  void sequence_point_thread(std::uint64_t thread, std::uint32_t sequence) override;
  void sequence_point_end() override;

  // Called after the reader has ended.
  void finish();

  const Statistics& statistics() const { return statistics_; }
  // Not empty: a file in $TMPDIR failed, and counts are wrong.
  const std::string& failure() const { return failure_; }
  // Each may be used only once.
  TextDigest& object_digest() { return object_digest_; }
  TextDigest& metadata_digest() { return metadata_digest_; }
  TextDigest& stack_digest() { return stack_digest_; }
  TextDigest& point_digest() { return point_digest_; }
  TextDigest& line_digest() { return line_digest_; }
  SortedLines& lines() { return lines_; }
  SpilledText& points_json() { return points_json_; }

 private:
  struct EventKind {
    Metadata metadata;
    std::string columns;  // ",provider,event id,"
    EventTypeCounts counts;
  };

  EventKind* kind_of(std::uint32_t metadata_id);
  // Whether events have sequence numbers, and ids of stacks instead of the stacks.
  bool has_ids() const { return statistics_.trace.version >= kTraceVersion; }
  void count_stack(std::uint32_t id);
  std::uint64_t count_frames(std::span<const std::byte> addresses);
  void put_line(const Blob& blob, const EventKind* kind);
  void count_type(const EventKind& kind);
  void end_region(std::optional<std::uint64_t> next_point);

  bool with_lines_;
  Statistics statistics_;
  BlockFacts block_;
  std::unordered_map<std::uint32_t, std::unique_ptr<EventKind>> kinds_;  // by metadata id
  std::uint32_t last_id_ = 0;
  EventKind* last_kind_ = nullptr;
  std::optional<std::uint64_t> last_capture_thread_;
  std::optional<std::uint64_t> last_thread_;
  std::optional<std::uint32_t> last_processor_;
  std::uint64_t previous_timestamp_ = 0;

  // Since the last sequence point.
  std::unordered_map<std::uint32_t, bool> region_stacks_;            // whether it has frames
  std::unordered_map<std::uint32_t, std::uint64_t> waiting_events_;  // by their stack
  SpilledText region_times_;                                         // 8 bytes per event
  std::uint64_t region_latest_ = 0;
  std::optional<std::uint64_t> point_before_;

  TextDigest object_digest_;
  TextDigest metadata_digest_;
  TextDigest stack_digest_;
  TextDigest point_digest_;
  TextDigest line_digest_;
  SortedLines lines_;
  SpilledText points_json_;
  std::string failure_;
  std::string line_;  // room for one
};

}  // namespace ringside::tool::nettrace
