#include "tools/fleet/message_rows.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "tools/fleet/extent_subject.hpp"
#include "tools/fleet/message_header.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/blocks/losses_block.hpp"
#include "trace-format/lines/json_text.hpp"
#include "trace-format/lines/loss_text.hpp"
#include "trace-format/reader/section_losses.hpp"
#include "trace-format/reader/section_scan.hpp"

namespace ringside::fleet {
namespace {

using shm::LossCause;
using trace::BlockType;

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
// DateTime of ClickHouse has 32 bits.
constexpr std::uint64_t kLastTime = std::uint64_t{UINT32_MAX} * kNsPerSecond;

std::span<const std::byte> contents_of(std::span<const std::byte> block) {
  return block.subspan(trace::kBlockHeaderBytes);
}

void add_clocks(std::span<const std::byte> blocks, std::vector<trace::ClockPoint>& points) {
  for_each_block(blocks, [&](const trace::BlockFrame& frame, std::span<const std::byte> block) {
    trace::ClockPoint point;
    if (frame.type == BlockType::kClock && trace::ClockPoint::parse(contents_of(block), point))
      points.push_back(point);
  });
}

// False if there are too many.
bool find_clocks(const ExtentMessage& message, trace::ClockMap& clocks) {
  std::vector<trace::ClockPoint> points;
  add_clocks(message.repeated, points);
  add_clocks(message.blocks, points);
  if (points.size() > MessageRows::kMostClocks) return false;
  // Another order would take the square of their number. A later one of the same place applies.
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& one, const auto& other) { return one.tsc0 < other.tsc0; });
  for (const trace::ClockPoint& point : points) clocks.add(point);
  return true;
}

// As the library's reader does for a section without clocks.
void add_substitute(const trace::SectionHeader& header, trace::ClockMap& clocks) {
  if (header.tick_hz == 0)
    return clocks.add({0, 0, std::uint64_t{1} << trace::kClockFractionBits, 0, 0});
  clocks.add(trace::ClockSteering({header.start_tsc, header.start_monotonic_ns,
                                   header.start_realtime_ns, header.tick_hz})
                 .first());
}

std::string json_names(const trace::Site& site) {
  std::string names = "[";
  for (const trace::Field& field : site.fields) {
    if (names.size() > 1) names += ',';
    names += '"' + trace::json_text(field.name) + '"';
  }
  return names + ']';
}

}  // namespace

struct MessageRows::Work {
  // The number of a stream's next record.
  struct Position {
    std::uint64_t tsc = 0;
    std::uint64_t stream = 0;
    std::uint64_t next = 0;
  };

  Work(RowBatch& rows, MessageDictionary& known_statements, const StreamLedger& ledger,
       std::string* reason)
      : batch(rows), dictionary(known_statements), known(ledger), why(reason) {}

  RowBatch& batch;
  MessageDictionary& dictionary;
  const StreamLedger& known;
  std::string* why;
  RowOrigin origin;
  trace::ClockMap clocks;
  std::map<std::uint64_t, trace::StreamBlock> streams;
  std::map<std::uint64_t, std::uint64_t> ends;  // of the streams' last extents
  StreamLedger fresh;                           // of the message
  std::vector<trace::ExtentHeader> taken;
  std::vector<Position> positions;
  std::size_t bytes_before = 0;  // of the batch
  std::uint64_t repeated = 0;
  std::uint64_t first_time = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t last_time = 0;

  bool refuse(const char* reason) const {
    *why = reason;
    return false;
  }

  RowThread thread_of(std::uint64_t stream) const {
    const auto found = streams.find(stream);
    if (found == streams.end()) return {};
    return {found->second.thread_id, found->second.thread_name};
  }

  void see(std::uint64_t time) {
    first_time = std::min(first_time, time);
    last_time = std::max(last_time, time);
  }

  std::uint64_t time_of(std::uint64_t tsc) {
    const std::uint64_t time = origin.clock.unix_ns(tsc);
    see(time);
    return time;
  }

  // A watermark is not a record's time: it can be any.
  std::uint64_t time_near(std::uint64_t tsc) const {
    const std::uint64_t time = clocks.unix_ns(tsc);
    return last_time == 0 ? std::min(time, kLastTime) : std::clamp(time, first_time, last_time);
  }

  template <class Table>
  void put_origin(Table& table, std::uint64_t time, std::uint64_t stream) {
    ++table.rows;
    table.time.put(time);
    table.tenant.put(table.tenant.key(origin.tenant));
    table.service.put(table.service.key(origin.service));
    table.host.put(table.host.key(origin.host));
    table.segment.put(native_uuid(origin.segment));
    table.stream.put(stream);
  }

  void add_range(std::uint64_t time, std::uint64_t stream, std::uint64_t first, std::uint64_t next,
                 std::uint64_t records) {
    ExtentColumns& out = batch.extents;
    put_origin(out, time, stream);
    out.first.put(first);
    out.next.put(next);
    out.records.put(records);
    out.subset.put(origin.is_subset ? 1 : 0);
    out.snapshot.put(origin.is_snapshot ? 1 : 0);
  }

  void add_loss(std::uint64_t time, std::uint64_t stream, std::uint64_t sequence,
                std::uint64_t lost, LossCause cause, LossOrigin from, std::uint64_t statement) {
    LossColumns& out = batch.losses;
    const RowThread thread = from == LossOrigin::kStream ? thread_of(stream) : RowThread{};
    put_origin(out, time, stream);
    out.pid.put(origin.pid);
    out.thread_id.put(thread.id);
    out.thread.put(out.thread.key(thread.name));
    out.sequence.put(sequence);
    out.lost.put(lost);
    out.cause.put(out.cause.key(trace::loss_cause_token(cause)));
    out.origin.put(static_cast<std::uint8_t>(from));
    out.statement.put(statement);
  }
};

MessageRows::MessageRows(FetchContents fetch, std::size_t most_remembered)
    : fetch_(std::move(fetch)),
      extent_rows_([this](const StatementFacts& facts) { add_statement(facts); }),
      most_remembered_(most_remembered) {}

MessageRows::Taken MessageRows::refused() {
  ++counts_.refused;
  return Taken::kRefused;
}

MessageRows::Taken MessageRows::take(const StoredMessage& stored, RowBatch& batch,
                                     std::string* why) {
  Bytes whole;
  switch (fetch_.named_body(stored.payload, whole, why)) {
    case FetchedWhole::kInvalid:
      return refused();
    case FetchedWhole::kNotNow:
      if (fetch_.missing().empty()) return Taken::kNotNow;
      *why = "its body is missing: " + fetch_.missing();
      return Taken::kNoDictionary;
    case FetchedWhole::kYes:
      break;
  }
  ExtentMessage message;
  trace::SectionHeader header;
  std::string snapshot;
  if (!read_extent_message(whole.empty() ? stored.payload : whole, message, why)) return refused();
  if (!find_message_header(message, stored.subject, header, &snapshot, why)) return refused();
  if (!trace::can_read(header)) {
    *why = "its format is newer than this ringsink; update ringsink";
    return refused();
  }
  MessageDictionary* dictionary = nullptr;
  switch (dictionaries_.get(message.manifest, dictionary, why)) {
    case DictionaryCache::Found::kMissing:
      return Taken::kNoDictionary;
    case DictionaryCache::Found::kUnknown:
      return Taken::kNotNow;
    case DictionaryCache::Found::kInvalid:
      return refused();
    case DictionaryCache::Found::kYes:
      break;
  }
  StreamLedger& ledger = ledger_of(stored.subject);
  Work work(batch, *dictionary, ledger, why);
  work.origin.tenant = tenant_of(stored.subject);
  work.origin.service = header.service;
  work.origin.host = header.host;
  work.origin.pid = header.pid;
  work.origin.tick_hz = header.tick_hz;
  work.origin.segment = message.uuid;
  work.origin.is_subset = message.is_subset;
  work.origin.is_snapshot = !snapshot.empty();
  if (!find_clocks(message, work.clocks)) {
    *why = "it has more than 100,000 clocks";
    return refused();
  }
  if (work.clocks.empty()) add_substitute(header, work.clocks);
  work.origin.clock = trace::TickClock(work.clocks);

  work.bytes_before = batch.bytes();
  batch.mark();
  statement_columns_ = &batch.statements;
  new_statements_.clear();
  if (!add_blocks(message, work)) {
    batch.roll_back();
    return refused();
  }
  remember(ledger, work.taken);
  if (statements_.size() > kMostStatements) statements_.clear();
  statements_.merge(new_statements_);
  ++counts_.messages;
  counts_.extents += work.taken.size();
  counts_.repeated_extents += work.repeated;
  for (const trace::ExtentHeader& extent : work.taken) counts_.records += extent.records;
  return Taken::kYes;
}

bool MessageRows::add_blocks(const ExtentMessage& message, Work& work) {
  const auto add_stream = [&work](const trace::BlockFrame& frame,
                                  std::span<const std::byte> block) {
    trace::StreamBlock stream;
    if (frame.type == BlockType::kStream && trace::StreamBlock::parse(contents_of(block), stream))
      work.streams[stream.stream_id] = stream;
  };
  bool is_valid = true;
  for_each_block(message.repeated, add_stream);
  for_each_block(message.blocks,
                 [&](const trace::BlockFrame& frame, std::span<const std::byte> block) {
                   if (!is_valid) return;
                   add_stream(frame, block);
                   if (frame.type == BlockType::kExtent)
                     is_valid = add_extent(contents_of(block), work);
                   if (frame.type == BlockType::kLosses) add_losses(contents_of(block), work);
                   if (frame.type == BlockType::kSequencePoint)
                     add_positions(contents_of(block), work);
                 });
  if (!is_valid) return false;
  if (work.last_time > kLastTime)
    return work.refuse("it has times after 2106; check the clock of the host");
  if (work.last_time > work.first_time && work.last_time - work.first_time > kMostMessageNs)
    return work.refuse("its records cover more than four years; check the clock of the host");
  const std::uint64_t time =
      work.positions.empty() ? 0 : work.time_near(work.positions.front().tsc);
  for (const Work::Position& position : work.positions)
    work.add_range(time, position.stream, position.next, position.next, 0);
  return true;
}

bool MessageRows::add_extent(std::span<const std::byte> payload, Work& work) {
  trace::ExtentHeader extent;
  if (!trace::ExtentHeader::parse(payload, extent))
    return work.refuse("an extent is shorter than its header");
  const std::uint64_t lost = std::min(extent.dropped, extent.first_sequence);
  const std::uint64_t next = extent.first_sequence + extent.records;
  if (next < extent.first_sequence) return work.refuse("an extent has impossible numbers");
  work.ends[extent.stream_id] = next;
  // One that is known in part was cut otherwise: rows that come again replace their equals.
  if (work.known.covers(extent) || work.fresh.covers(extent)) {
    ++work.repeated;
    return true;
  }
  work.fresh.add(extent);
  const std::uint64_t base = work.time_of(extent.base_tsc);
  if (extent.has_lost())
    work.add_loss(base, extent.stream_id, extent.first_sequence - lost, extent.dropped,
                  trace::stored_loss_cause(extent.drop_cause), LossOrigin::kStream, 0);
  work.add_range(base, extent.stream_id, extent.first_sequence - lost, next, extent.records);
  work.taken.push_back(extent);
  if (extent.records == 0) return true;
  const std::size_t first_row = work.batch.records.rows;
  const std::size_t used = work.batch.bytes() - work.bytes_before;
  if (!extent_rows_.add(payload, work.origin, work.thread_of(extent.stream_id), work.dictionary,
                        work.batch, kMostMessageBytes - std::min(used, kMostMessageBytes),
                        work.why)) {
    return false;
  }
  for (const std::uint64_t time : work.batch.records.time.from(first_row)) work.see(time);
  return true;
}

void MessageRows::add_losses(std::span<const std::byte> payload, Work& work) {
  trace::LossesBlock losses;
  if (!trace::LossesBlock::parse(payload, losses)) return;
  const std::uint64_t time = work.time_of(losses.until_tsc);
  const auto add = [&](const trace::LossCount& count, LossOrigin from, std::uint64_t statement) {
    const LossCause cause = shm::is_told_by_site(count.cause) ? count.cause : LossCause::kUnknown;
    if (count.after > count.before)
      work.add_loss(time, from == LossOrigin::kStatement ? count.site_id : 0, count.before,
                    count.after - count.before, cause, from, statement);
  };
  for (const trace::LossCount& count : losses.without_stream) {
    if (shm::is_lost(count.cause)) add(count, LossOrigin::kProcess, 0);
  }
  for (const trace::LossCount& count : losses.by_site) {
    const trace::Site* const site = work.dictionary.sites().find(count.site_id);
    std::uint64_t statement = 0;
    if (site != nullptr) {
      const StatementFacts& facts = work.dictionary.facts_of(*site);
      add_statement(facts);
      statement = facts.id;
    }
    add(count, LossOrigin::kStatement, statement);
  }
}

// Sequence points show records that are missing without an extent after them. Most repeat where
// the last extent ended.
void MessageRows::add_positions(std::span<const std::byte> payload, Work& work) {
  if (payload.size() < trace::kSequencePointFixedBytes) return;
  const auto watermark = trace::load<std::uint64_t>(payload.data());
  const std::size_t room =
      (payload.size() - trace::kSequencePointFixedBytes) / trace::kSequencePointEntryBytes;
  const std::size_t count =
      std::min<std::size_t>(trace::load<std::uint32_t>(payload.data() + 8), room);
  const std::byte* p = payload.data() + trace::kSequencePointFixedBytes;
  for (std::size_t i = 0; i < count; ++i, p += trace::kSequencePointEntryBytes) {
    const auto stream = trace::load<std::uint64_t>(p);
    const auto next = trace::load<std::uint64_t>(p + 8);
    const auto end = work.ends.find(stream);
    if (end == work.ends.end() || end->second < next)
      work.positions.push_back({watermark, stream, next});
  }
}

void MessageRows::add_statement(const StatementFacts& facts) {
  if (statements_.contains(facts.id) || !new_statements_.insert(facts.id).second) return;
  StatementColumns& out = *statement_columns_;
  const trace::Site& site = facts.site;
  ++out.rows;
  out.statement.put(facts.id);
  out.kind.put(kind_number(site));
  out.level.put(level_number(site));
  out.category.put(out.category.key(site.category));
  out.name.put(site.name);
  out.keywords.put(site.keywords);
  out.file.put(out.file.key(site.file));
  out.line.put(site.line);
  out.function.put(out.function.key(site.function));
  out.format.put(site.format);
  out.arguments.put(json_names(site));
}

StreamLedger& MessageRows::ledger_of(const std::string& subject) {
  if (ledgers_.size() >= kMostSegments && !ledgers_.contains(subject)) forget();
  return ledgers_[subject];
}

void MessageRows::remember(StreamLedger& ledger, const std::vector<trace::ExtentHeader>& extents) {
  const std::size_t before = ledger.ranges();
  for (const trace::ExtentHeader& extent : extents) ledger.add(extent);
  remembered_ += ledger.ranges() - before;
  if (remembered_ > most_remembered_) forget();
}

// What comes again is then inserted again, and is merged by the server.
void MessageRows::forget() {
  ledgers_.clear();
  remembered_ = 0;
}

}  // namespace ringside::fleet
