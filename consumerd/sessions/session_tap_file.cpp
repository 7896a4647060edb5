// The blocks of a session's file other than records: fronts of sections, dictionary, clock,
// sequence points, ends.
#include <algorithm>
#include <cstring>
#include <utility>

#include "consumerd/files/section_front.hpp"
#include "consumerd/sessions/session_tap.hpp"
#include "shm-layout/clock_reading.hpp"
#include "trace-format/codec/untold_drops.hpp"

namespace ringside::consumer {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kSectionFrontBytes = 1024;
constexpr std::size_t kClockBytes = 256;
constexpr std::size_t kBlockOverheadBytes = 64;
constexpr std::uint64_t kPointBytes = 256U << 10;
constexpr auto kPointInterval = std::chrono::milliseconds(20);
constexpr auto kOldestByte = std::chrono::milliseconds(100);
constexpr auto kNameInterval = std::chrono::seconds(1);
constexpr auto kFileRetry = std::chrono::seconds(5);

bool same(const trace::ClockPoint& a, const trace::ClockPoint& b) {
  return a.tsc0 == b.tsc0 && a.unix_ns0 == b.unix_ns0 && a.ns_per_tick == b.ns_per_tick;
}

std::size_t write_clock_points(const ClockSteps& clock, std::span<std::byte> out) {
  std::size_t bytes = 0;
  if (!same(clock.before, clock.last)) bytes += trace::write_clock_block(clock.before, out);
  return bytes + trace::write_clock_block(clock.last, out.subspan(bytes));
}

}  // namespace

// Everything that records depend on is in the file.
bool SessionTap::prepare() {
  return (begun_ || begin_section()) && write_clock() && write_dictionary();
}

bool SessionTap::begin_section() {
  const std::span<std::byte> out = file_->space(kSectionFrontBytes);
  if (out.empty()) return false;
  std::size_t bytes = trace::write_header_block(section_header(*header_, file_->sequence()), out);
  bytes += write_clock_points(clock_, out.subspan(bytes));
  file_->commit(bytes);
  written_clock_ = clock_.last;
  begun_ = true;
  return true;
}

bool SessionTap::write_clock() {
  if (same(written_clock_, clock_.last)) return true;
  const std::span<std::byte> out = file_->space(kClockBytes);
  if (out.empty()) return false;
  file_->commit(write_clock_points(clock_, out));
  written_clock_ = clock_.last;
  return true;
}

bool SessionTap::write_dictionary() {
  for (;;) {
    const std::span<const std::byte> entries = source_.dictionary.block_from(dictionary_bytes_);
    if (entries.empty()) return true;
    const std::span<std::byte> out = file_->space(entries.size() + kBlockOverheadBytes);
    if (out.empty()) return false;
    file_->commit(trace::write_dictionary_block(entries, out));
    dictionary_bytes_ += entries.size();
  }
}

bool SessionTap::write_point(std::uint64_t watermark_tsc) {
  moved_.clear();
  for (const RingState& ring : rings_) {
    const trace::StreamPosition position{ring.cursor.stream_id, ring.cursor.next_sequence};
    if (!ring.announced || (position.stream_id == ring.in_point.stream_id &&
                            position.next_sequence == ring.in_point.next_sequence)) {
      continue;
    }
    moved_.push_back(position);
  }
  const std::span<std::byte> out =
      file_->space(kBlockOverheadBytes + moved_.size() * sizeof(trace::StreamPosition));
  if (out.empty()) return false;
  watermark_tsc = std::max(watermark_tsc, watermark_tsc_);
  file_->commit(trace::write_sequence_point_block(watermark_tsc, moved_, out));
  for (RingState& ring : rings_) {
    if (ring.announced) ring.in_point = {ring.cursor.stream_id, ring.cursor.next_sequence};
  }
  watermark_tsc_ = watermark_tsc;
  pending_bytes_ = 0;
  last_point_ = steady_clock::now();
  return true;
}

void SessionTap::end_round(std::uint64_t watermark_tsc, steady_clock::time_point now) {
  if (finished_ || !file_->advance()) return;
  if (now - last_name_check_ >= kNameInterval) {
    last_name_check_ = now;
    astray_ = begun_ && file_->astray();
    if (astray_ && now >= retry_) change_file(now);
  }
  if (astray_ || !begun_) return;
  const bool point_is_due =
      pending_bytes_ >= kPointBytes || (pending_bytes_ > 0 && now - last_point_ >= kPointInterval);
  if (point_is_due && !write_point(watermark_tsc)) return;
  const std::uint64_t most = session_.spec().rotate_bytes;
  const bool is_full = most != 0 && file_->file_bytes() >= most && section_.records > 0;
  if (is_full && pending_bytes_ == 0 && now >= retry_) change_file(now);
  if (file_->oldest() < now - kOldestByte) file_->seal();
}

// Continues in the next file. If it cannot be created, that is tried again later.
void SessionTap::change_file(steady_clock::time_point now) {
  std::string why;
  if (!file_->rotate([this](std::uint32_t sequence) { return section_front(sequence); },
                     section_end(trace::EndReason::kRotation), &why)) {
    retry_ = now + kFileRetry;
    if (!std::exchange(logged_, true)) {
      source_.log.error("session " + session_.spec().name + ": " + why, {{"file", file_->path()}});
    }
    return;
  }
  logged_ = false;
  astray_ = false;
  section_ = {};
  watermark_tsc_ = 0;
  pending_bytes_ = 0;
  written_clock_ = clock_.last;
  for (RingState& ring : rings_) ring.announced = false;
}

std::vector<std::byte> SessionTap::section_front(std::uint32_t sequence) const {
  std::vector<std::byte> front(kSectionFrontBytes);
  std::size_t bytes = trace::write_header_block(section_header(*header_, sequence), front);
  bytes += write_clock_points(clock_, std::span(front).subspan(bytes));
  front.resize(bytes);
  // What is not in the front follows with the next record that needs it.
  std::size_t restated = 0;
  while (restated < dictionary_bytes_) {
    const std::span<const std::byte> entries = source_.dictionary.block_from(restated);
    front.resize(bytes + entries.size() + kBlockOverheadBytes);
    bytes += trace::write_dictionary_block(entries, std::span(front).subspan(bytes));
    front.resize(bytes);
    restated += entries.size();
  }
  return front;
}

trace::EndBlock SessionTap::section_end(trace::EndReason reason) const {
  trace::EndBlock end;
  end.records = section_.records;
  end.dropped = section_.dropped;
  end.reason = reason;
  return end;
}

// Losses that no further record reports. Those of threads without any record in the trace have no
// place there; the session's status counts them.
bool SessionTap::write_pending_drops() {
  for (std::uint32_t index = 0; index < rings_.size(); ++index) {
    RingState& ring = rings_[index];
    if (ring.stored.pending_drops == 0 || !ring.announced || !ring.kept) continue;
    const std::span<std::byte> out = file_->space(kSectionFrontBytes + 4096);
    if (out.empty()) return false;
    const auto words =
        trace::drop_record({shm::LossCause::kRingFull, ring.stored.pending_drops}, ring.cursor);
    const trace::EncodeResult result = source_.encoder.encode(
        std::as_bytes(std::span(words)), ring.cursor, watermark_tsc_, shm::read_tsc(), out);
    ring.stored.pending_drops = 0;
    shm::JournalEntry entry{};
    entry.ring_index = index;
    entry.generation = ring.stored.generation;
    entry.consumer_pos = ring.stored.pos;
    entry.next_sequence = ring.cursor.next_sequence;
    entry.last_tsc = ring.cursor.last_tsc;
    file_->commit(result.output_bytes, entry);
    section_.dropped += result.dropped;
    store(index, &ring);
  }
  return true;
}

bool SessionTap::finish(trace::EndReason reason) {
  if (finished_) return true;
  if (!begun_ && !begin_section()) return false;
  if (!write_clock() || !write_dictionary() || !write_pending_drops() ||
      !write_point(shm::read_tsc())) {
    return false;
  }
  file_->finish(section_end(reason));
  finished_ = true;
  return true;
}

void SessionTap::leave(bool segment_ended) {
  // Nothing further is taken.
  finished_ = true;
  file_->seal();
  session_.leave(std::move(file_), segment_ended ? std::move(cursors_) : nullptr);
}

}  // namespace ringside::consumer
