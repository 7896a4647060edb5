#include "tools/interop/nettrace/nettrace_statistics.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>
#include <zlib.h>

#include <fmt/format.h>

#include "tools/interop/output_bytes.hpp"
#include "trace-format/lines/hex_digits.hpp"

namespace ringside::tool::nettrace {
namespace {

// Quoted as in RFC 4180.
std::string csv_column(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += c;
    quoted += c;
  }
  return quoted + '"';
}

template <class Number>
void see(std::unordered_set<Number>& seen, std::optional<Number>& last, Number number) {
  if (last == number) return;
  last = number;
  seen.insert(number);
}

// Counts the times in `text`, 8 bytes each, that are later than `bound` and not before `before`;
// the others have been counted already. `*failure` is set if they could not be read back.
std::uint64_t count_later(SpilledText& text, std::uint64_t bound, std::uint64_t before,
                          std::string* failure) {
  std::uint64_t later = 0;
  std::string kept;
  OutputBytes count([&](std::span<const std::byte> bytes) {
    kept.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::size_t at = 0;
    for (; at + 8 <= kept.size(); at += 8) {
      std::uint64_t time = 0;
      std::memcpy(&time, kept.data() + at, sizeof time);
      if (time > bound && time >= before) ++later;
    }
    kept.erase(0, at);
    return true;
  });
  text.move_to(count);
  count.flush();
  if (!count.failure().empty()) *failure = count.failure();
  return later;
}

}  // namespace

void StatisticsVisitor::object(const ObjectFacts& object) {
  ++statistics_.objects[object.type];
  statistics_.object_versions.insert(
      fmt::format("{} v{} min{}", object.type, object.version, object.min_reader_version));
  object_digest_.put(fmt::format("{},{},{}\n", object.type, object.bytes, object.offset));
}

std::string StatisticsVisitor::trace(const TraceFacts& trace) {
  statistics_.trace = trace;
  return {};
}

void StatisticsVisitor::block(const BlockFacts& block) {
  block_ = block;
  ++(block.compressed ? statistics_.compressed_blocks : statistics_.plain_blocks);
  ++statistics_.block_header_bytes[block.header_bytes];
}

StatisticsVisitor::EventKind* StatisticsVisitor::kind_of(std::uint32_t metadata_id) {
  if (last_kind_ != nullptr && last_id_ == metadata_id) return last_kind_;
  const auto found = kinds_.find(metadata_id);
  if (found == kinds_.end()) return nullptr;
  last_id_ = metadata_id;
  last_kind_ = found->second.get();
  return last_kind_;
}

void StatisticsVisitor::event(const Blob& blob) {
  Statistics& s = statistics_;
  ++s.events;
  if (block_.compressed) ++s.flag_bytes[blob.flags];
  s.payload_bytes += blob.payload_bytes;
  s.sorted_events += blob.sorted ? 1U : 0U;
  s.events_with_activity += is_zero(blob.activity) ? 0U : 1U;
  s.events_with_related_activity += is_zero(blob.related) ? 0U : 1U;
  EventKind* const kind = kind_of(blob.metadata_id);
  PayloadFit fit = PayloadFit::kNoFields;
  if (kind == nullptr) {
    ++s.events_without_metadata;
    // As in the lines of CSV, so that the counts by type add up to that of all events.
    EventTypeCounts& counts = s.types[{"", 0, "", 0}];
    ++counts.events;
    counts.payload_bytes += blob.payload_bytes;
  } else {
    ++kind->counts.events;
    kind->counts.payload_bytes += blob.payload_bytes;
    fit = fit_payload(kind->metadata, blob.payload);
  }
  ++s.payload_fits[static_cast<std::size_t>(fit)];
  if (has_ids()) {
    count_stack(blob.stack_id);
    s.ledger.event(blob.capture_thread, blob.sequence);
  } else if (!blob.stack.empty() && count_frames(blob.stack) != 0) {
    ++s.stacks.events_with_frames;
  }
  see(s.capture_threads, last_capture_thread_, blob.capture_thread);
  see(s.threads, last_thread_, blob.thread);
  see(s.processors, last_processor_, blob.processor);
  const std::uint64_t time = blob.timestamp;
  if (s.events > 1 && time < previous_timestamp_) ++s.out_of_order_events;
  previous_timestamp_ = time;
  s.first_timestamp = std::min(s.first_timestamp.value_or(time), time);
  s.last_timestamp = std::max(s.last_timestamp.value_or(time), time);
  if (time < block_.min_timestamp || time > block_.max_timestamp) ++s.events_outside_block_range;
  if (point_before_ && time < *point_before_) ++s.events_outside_sequence_points;
  region_latest_ = std::max(region_latest_, time);
  region_times_.put({reinterpret_cast<const char*>(&time), sizeof time});
  if (with_lines_) put_line(blob, kind);
}

void StatisticsVisitor::put_line(const Blob& blob, const EventKind* kind) {
  const auto crc = static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(blob.payload.data()), blob.payload.size()));
  const std::string_view columns = kind == nullptr ? std::string_view(",,0,") : kind->columns;
  constexpr std::size_t kMostNumbers = 256;
  if (line_.size() < columns.size() + kMostNumbers) line_.resize(columns.size() + kMostNumbers);
  // This is most of the cost of the CSV: fmt takes three times as long.
  char* at = line_.data();
  const auto put = [&at](std::uint64_t number) { at = std::to_chars(at, at + 20, number).ptr; };
  put(blob.timestamp);
  for (const std::uint64_t number : {blob.capture_thread, blob.thread, std::uint64_t{blob.sequence},
                                     std::uint64_t{blob.processor}, std::uint64_t{blob.stack_id}}) {
    *at++ = ',';
    put(number);
  }
  at = std::copy(columns.begin(), columns.end(), at);
  put(blob.payload_bytes);
  *at++ = ',';
  for (int shift = 28; shift >= 0; shift -= 4) *at++ = trace::kHexDigits[crc >> shift & 15];
  *at++ = '\n';
  const std::string_view line(line_.data(), static_cast<std::size_t>(at - line_.data()));
  line_digest_.put(line);
  lines_.add(blob.timestamp, line);
}

void StatisticsVisitor::count_stack(std::uint32_t id) {
  if (id == 0) {
    ++statistics_.stacks.events_unresolved;
    return;
  }
  ++statistics_.events_with_stack_id;
  const auto found = region_stacks_.find(id);
  if (found == region_stacks_.end()) {
    ++waiting_events_[id];
  } else if (found->second) {
    ++statistics_.stacks.events_with_frames;
  }
}

std::string StatisticsVisitor::metadata(const Blob& blob) {
  if (block_.compressed) ++statistics_.flag_bytes[blob.flags];
  auto kind = std::make_unique<EventKind>();
  Metadata& metadata = kind->metadata;
  std::string why;
  if (!parse_metadata(statistics_.trace.version, blob, metadata, &why)) return why;
  ++statistics_.metadata_records;
  ++statistics_.descriptions[static_cast<std::size_t>(metadata.description)];
  if (metadata.opcode) ++statistics_.metadata_with_opcode;
  metadata_digest_.put(fmt::format("{},{},{},{},0x{:016x},{},{},{}\n", metadata.id,
                                   metadata.provider, metadata.event_id, metadata.event_name,
                                   metadata.keywords, metadata.version, metadata.level,
                                   metadata.fields.size()));
  kind->columns = fmt::format(",{},{},", csv_column(metadata.provider), metadata.event_id);
  last_kind_ = nullptr;
  std::unique_ptr<EventKind>& known = kinds_[metadata.id];
  if (known != nullptr) {
    ++statistics_.metadata_redefinitions;
    count_type(*known);
  }
  known = std::move(kind);
  return {};
}

std::uint64_t StatisticsVisitor::count_frames(std::span<const std::byte> addresses) {
  StackCounts& stacks = statistics_.stacks;
  const std::uint64_t pointer_bytes = statistics_.trace.pointer_bytes == 4 ? 4 : 8;
  const std::uint64_t frames = addresses.size() / pointer_bytes;
  ++stacks.count;
  stacks.empty += addresses.empty() ? 1U : 0U;
  stacks.bytes += addresses.size();
  stacks.frames += frames;
  stacks.max_frames = std::max(stacks.max_frames, frames);
  return frames;
}

void StatisticsVisitor::stack(std::uint32_t id, std::span<const std::byte> addresses) {
  StackCounts& stacks = statistics_.stacks;
  const std::uint64_t frames = count_frames(addresses);
  if (!stacks.first_id) stacks.first_id = id;
  stacks.last_id = id;
  std::string line = fmt::format("{},", id);
  for (const std::byte byte : addresses) {
    line += trace::kHexDigits[static_cast<unsigned>(byte) >> 4];
    line += trace::kHexDigits[static_cast<unsigned>(byte) & 15];
  }
  line += '\n';
  stack_digest_.put(line);
  region_stacks_[id] = frames != 0;
  const auto waiting = waiting_events_.find(id);
  if (waiting == waiting_events_.end()) return;
  if (frames != 0) stacks.events_with_frames += waiting->second;
  waiting_events_.erase(waiting);
}

void StatisticsVisitor::sequence_point(std::uint64_t timestamp, std::uint32_t threads) {
  const Statistics& s = statistics_;
  points_json_.put(fmt::format(
      "{}\n  {{\"timestamp\": {}, \"threads\": {}, \"events_before\": {}, \"stacks_before\": {}}}",
      s.sequence_points == 0 ? "" : ",", timestamp, threads, s.events, s.stacks.count));
  ++statistics_.sequence_points;
  point_digest_.put(fmt::format("{}\n", timestamp));
  end_region(timestamp);
}

void StatisticsVisitor::sequence_point_thread(std::uint64_t thread, std::uint32_t sequence) {
  point_digest_.put(fmt::format("{},{}\n", thread, sequence));
  statistics_.ledger.sequence_point(thread, sequence);
}

void StatisticsVisitor::sequence_point_end() {}

void StatisticsVisitor::end_region(std::optional<std::uint64_t> next_point) {
  if (next_point && region_latest_ > *next_point) {
    statistics_.events_outside_sequence_points +=
        count_later(region_times_, *next_point, point_before_.value_or(0), &failure_);
  }
  region_times_ = SpilledText();
  region_latest_ = 0;
  for (const auto& [id, events] : waiting_events_) statistics_.stacks.events_unresolved += events;
  // clear() would take time for the largest number of buckets, at each point.
  waiting_events_ = decltype(waiting_events_)();
  region_stacks_ = decltype(region_stacks_)();
  point_before_ = next_point;
}

void StatisticsVisitor::count_type(const EventKind& kind) {
  if (kind.counts.events == 0) return;
  const Metadata& m = kind.metadata;
  EventTypeCounts& counts = statistics_.types[{m.provider, m.event_id, m.event_name, m.version}];
  counts.events += kind.counts.events;
  counts.payload_bytes += kind.counts.payload_bytes;
}

void StatisticsVisitor::finish() {
  end_region({});
  for (const auto& [id, kind] : kinds_) count_type(*kind);
}

}  // namespace ringside::tool::nettrace
