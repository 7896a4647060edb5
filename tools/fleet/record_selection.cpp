#include "tools/fleet/record_selection.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tools/text/time_argument.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/lost_extent.hpp"

namespace ringside::fleet {
namespace {

std::optional<ActivityId> activity_of(std::string_view text) {
  ActivityId id{};
  if (text.size() != 2 * id.size()) return {};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t digit = std::string_view("0123456789abcdef").find(text[i]);
    if (digit == std::string_view::npos) return {};
    id[i / 2] = static_cast<std::uint8_t>(static_cast<std::size_t>(id[i / 2]) << 4 | digit);
  }
  return id;
}

void append_block(Bytes& out, std::span<const std::byte> block) {
  out.insert(out.end(), block.begin(), block.end());
}

}  // namespace

std::unique_ptr<RecordSelection> RecordSelection::make(tool::FilterOptions options,
                                                       const std::string& activity,
                                                       std::string* why) {
  auto selection = std::make_unique<RecordSelection>();
  if (!activity.empty()) {
    selection->activity = activity_of(activity);
    if (!selection->activity) {
      *why = "invalid activity '" + activity + "'; use 32 lower-case hexadecimal digits";
      return nullptr;
    }
    const std::string has_it = fmt::format("(activity == '{0}' || related == '{0}')", activity);
    options.where = options.where.empty() ? has_it : "(" + options.where + ") && " + has_it;
  }
  selection->services = options.services;
  selection->filter = tool::EventFilter::make(options, tool::unix_ns_now(), true, why);
  return selection->filter == nullptr ? nullptr : std::move(selection);
}

SectionSelection::SectionSelection(const RecordSelection& selection,
                                   const trace::SectionHeader& header)
    : selection_(selection),
      filter_(*selection.filter),
      options_(filter_.read_options()),
      reencoder_([this](const trace::ExtentHeader&, std::span<const std::byte> block) {
        append_block(kept_, block);
      }) {
  segment_.uuid = header.uuid;
  segment_.pid = header.pid;
  segment_.uid = header.uid;
  segment_.tick_hz = header.tick_hz;
  segment_.start_tsc = header.start_tsc;
  segment_.service = header.service;
  segment_.executable = header.executable;
  segment_.host = header.host;
}

void SectionSelection::add_dictionary(std::span<const std::byte> entries) {
  // An invalid entry ends the block, as for a reader.
  std::string why;
  sites_.add(entries, &why);
  reencoder_.add_sites(entries, &why);
}

void SectionSelection::add_clock(std::span<const std::byte> payload) {
  trace::ClockPoint point;
  if (trace::ClockPoint::parse(payload, point)) clocks_.add(point);
}

void SectionSelection::add_stream(std::span<const std::byte> payload) {
  trace::StreamBlock stream;
  if (!trace::StreamBlock::parse(payload, stream)) return;
  trace::StreamInfo& info = streams_[stream.stream_id];
  info.id = stream.stream_id;
  info.start_tsc = stream.start_tsc;
  info.thread_id = stream.thread_id;
  info.ring_index = stream.ring_index;
  info.thread_name = stream.thread_name;
  ++info.revision;
}

bool SectionSelection::is_in_time(std::uint64_t tsc) const {
  if (clocks_.empty()) return true;
  const std::uint64_t unix_ns = clocks_.unix_ns(tsc);
  return unix_ns >= options_.since_ns && unix_ns < options_.until_ns;
}

// Whether the extent can have selected records. Its records have activities byte by byte, so that
// most extents need not be decoded to see that they have another one.
bool SectionSelection::wants_some(std::span<const std::byte> payload) const {
  const auto& activity = selection_.activity;
  if (activity &&
      ::memmem(payload.data(), payload.size(), activity->data(), activity->size()) == nullptr)
    return false;
  if (!options_.site) return true;
  const auto ids = decoder_.site_ids();
  return std::any_of(ids.begin(), ids.end(), [this](std::uint32_t id) {
    const trace::Site* const site = sites_.find(id);
    return site != nullptr && options_.site(*site, segment_);
  });
}

// Whether all records are selected, as far as that is known without a look at them. Those of
// contexts are kept with the records between them.
bool SectionSelection::wants_all(const trace::ExtentHeader& header) const {
  if (filter_.looks_at_records()) return false;
  if (!is_in_time(header.min_tsc) || !is_in_time(header.max_tsc) || !is_in_time(header.base_tsc))
    return false;
  if (!options_.site) return true;
  const auto ids = decoder_.site_ids();
  return std::all_of(ids.begin(), ids.end(), [this](std::uint32_t id) {
    const trace::Site* const site = sites_.find(id);
    return site != nullptr && options_.site(*site, segment_);
  });
}

bool SectionSelection::wants(const trace::Record& record) {
  // The contexts of records are in their extents: what a context's own record adds is only that the
  // run goes on.
  if (record.site->kind == shm::SiteKind::kContext) return reencoder_.is_in_run();
  if (!is_in_time(record.tsc)) return false;
  if (options_.site && !options_.site(*record.site, segment_)) return false;
  if (!filter_.looks_at_records()) return true;
  event_.unix_ns = clocks_.unix_ns(record.tsc);
  event_.record = record;
  event_.stream = &streams_[record.stream_id];
  event_.segment = &segment_;
  return record_filter_.wanted(event_);
}

void SectionSelection::tell_left_out(std::uint64_t stream, SentStream& progress, std::uint64_t tsc,
                                     Bytes& out) {
  if (progress.pending == 0) return;
  trace::ExtentHeader left_out;
  left_out.stream_id = stream;
  left_out.first_sequence = progress.next;
  left_out.base_tsc = tsc;
  left_out.dropped = progress.pending;
  left_out.drop_cause = static_cast<std::uint32_t>(shm::LossCause::kNotSelected);
  append_block(out, trace::lost_extent(left_out));
  progress.pending = 0;
}

void SectionSelection::select(std::span<const std::byte> block, SentStreams& sent, Bytes& out) {
  const std::size_t before = out.size();
  select_extent(block, sent, out);
  sent.has_moved = sent.has_moved || out.size() != before;
}

void SectionSelection::select_extent(std::span<const std::byte> block, SentStreams& sent,
                                     Bytes& out) {
  const auto payload = block.subspan(trace::kBlockHeaderBytes);
  trace::ExtentHeader header;
  if (!trace::ExtentHeader::parse(payload, header)) return append_block(out, block);
  const std::uint64_t first =
      header.first_sequence - std::min(header.dropped, header.first_sequence);
  const std::uint64_t behind = header.first_sequence + header.records;
  SentStream& progress =
      sent.by_stream.try_emplace(header.stream_id, SentStream{first, 0}).first->second;
  if (behind <= progress.next && behind != first) return;
  // Numbers that no extent has stay a gap, which shows by what follows it.
  const bool follows_gap = first > progress.next;
  if (follows_gap) {
    tell_left_out(header.stream_id, progress, header.base_tsc, out);
    progress.next = first;
  }
  std::string why;
  if (!decoder_.open(payload, sites_, &why)) {  // readers shall report it as they do the original
    tell_left_out(header.stream_id, progress, header.base_tsc, out);
    progress.next = std::max(progress.next, behind);
    return append_block(out, block);
  }
  if (first >= progress.next && wants_all(header)) {
    tell_left_out(header.stream_id, progress, header.base_tsc, out);
    progress.next = behind;
    return append_block(out, block);
  }
  if (header.has_lost() && header.first_sequence > progress.next && is_in_time(header.base_tsc)) {
    tell_left_out(header.stream_id, progress, header.base_tsc, out);
    trace::ExtentHeader lost = header;
    lost.dropped = header.first_sequence - progress.next;
    append_block(out, trace::lost_extent(lost));
    progress.next = header.first_sequence;
  } else if (header.first_sequence > progress.next) {
    progress.pending += header.first_sequence - progress.next;
    progress.next = header.first_sequence;
  }
  if (!wants_some(payload)) {
    progress.pending += behind - progress.next;
    progress.next = behind;
    if (follows_gap) tell_left_out(header.stream_id, progress, header.max_tsc, out);
    return;
  }
  reencoder_.begin(header, watermark_);
  trace::Record record;
  while (decoder_.next(record)) {
    if (record.sequence < progress.next) continue;
    if (wants(record)) {
      // In its place among the extents, which the reencoder makes later.
      if (progress.pending != 0) {
        reencoder_.end_run();
        append_block(out, kept_);
        kept_.clear();
        tell_left_out(header.stream_id, progress, record.tsc, out);
      }
      reencoder_.add(record);
      progress.next = record.sequence + 1;
    } else {
      ++progress.pending;
      progress.next = record.sequence + 1;
    }
  }
  reencoder_.end_run();
  append_block(out, kept_);
  kept_.clear();
  // What follows damage inside of the extent: its numbers stay a gap.
  if (progress.next < behind || follows_gap)
    tell_left_out(header.stream_id, progress, header.max_tsc, out);
  progress.next = std::max(progress.next, behind);
}

void SectionSelection::select_point(std::span<const std::byte> payload, SentStreams& sent,
                                    Bytes& out) {
  std::uint64_t watermark = 0;
  if (payload.size() < trace::kSequencePointFixedBytes ||
      !trace::parse_watermark(payload, watermark))
    return;
  const std::size_t room =
      (payload.size() - trace::kSequencePointFixedBytes) / trace::kSequencePointEntryBytes;
  const std::size_t count =
      std::min<std::size_t>(trace::load<std::uint32_t>(payload.data() + 8), room);
  const std::size_t before = out.size();
  std::vector<trace::StreamPosition> positions;
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* const entry =
        payload.data() + trace::kSequencePointFixedBytes + i * trace::kSequencePointEntryBytes;
    const auto stream = trace::load<std::uint64_t>(entry);
    const auto sequence = trace::load<std::uint64_t>(entry + 8);
    SentStream& progress =
        sent.by_stream.try_emplace(stream, SentStream{sequence, 0}).first->second;
    if (sequence > progress.next) {
      tell_left_out(stream, progress, watermark, out);
      progress.next = sequence;
    }
    positions.push_back({stream, progress.next - progress.pending});
  }
  watermark_ = std::max(watermark_, watermark);
  if (!sent.has_moved && out.size() == before) return;
  sent.has_moved = false;
  const std::size_t at = out.size();
  out.resize(at + trace::kBlockHeaderBytes + trace::kSequencePointFixedBytes +
             positions.size() * trace::kSequencePointEntryBytes);
  trace::write_sequence_point_block(watermark, positions, std::span(out).subspan(at));
}

}  // namespace ringside::fleet
