#include "tools/live/segment_salvage.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "shm-layout/clock_reading.hpp"
#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/loss_cause.hpp"
#include "shm-layout/record_head.hpp"
#include "shm-layout/segment_lock.hpp"
#include "tools/live/ring_snapshot.hpp"
#include "tools/live/salvaged_totals.hpp"
#include "tools/live/segment_image.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/clock_map.hpp"
#include "trace-format/codec/extent_encoder.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/codec/untold_drops.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
constexpr std::size_t kDictionaryBlockBytes = std::size_t{256} << 10;

bool is_this_boot(const std::uint8_t (&boot_id)[16]) {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(file, text);
  std::erase(text, '-');
  std::string theirs;
  for (const std::uint8_t byte : boot_id) theirs += fmt::format("{:02x}", byte);
  return text == theirs;
}

class Salvage {
 public:
  Salvage(SegmentImage& image, bool only_new)
      : image_(image), only_new_(only_new), control_(image.control()) {}

  SalvagedSegment run() {
    result_.losses_without_ring =
        control_.lost_no_ring + control_.lost_no_memory + control_.lost_dictionary_full;
    result_.overwritten_streams_lost = control_.overwritten_streams_lost;
    put_header();
    put_clock();
    put_dictionary();
    for (std::uint32_t ring = 0; ring < control_.rings_used; ++ring) salvage_ring(ring);
    put_losses();
    put_call_costs();
    trace::EndBlock end;
    for (const SalvagedThread& thread : result_.threads) {
      end.records += thread.records;
      end.dropped += thread.dropped;
    }
    put(256, [&](auto out) { return trace::write_end_block(end, out); });
    const std::uint64_t missing = image_.missing_bytes();  // last: perhaps only truncated meanwhile
    if (missing != 0) note(fmt::format("the file is truncated by {} bytes", missing));
    return std::move(result_);
  }

 private:
  void note(std::string text) { result_.notes.push_back(std::move(text)); }

  template <class Write>
  std::size_t put(std::size_t room, Write&& write) {
    std::vector<std::byte>& trace = result_.trace;
    const std::size_t before = trace.size();
    trace.resize(before + room);
    const std::size_t written = write(std::span(trace).subspan(before));
    trace.resize(before + written);
    return written;
  }

  void put_header() {
    const shm::SegmentHeader& segment = image_.header();
    trace::SectionHeader header;
    std::copy(std::begin(segment.uuid), std::end(segment.uuid), header.uuid.begin());
    std::copy(std::begin(segment.boot_id), std::end(segment.boot_id), header.boot_id.begin());
    header.pid = segment.pid;
    header.uid = segment.uid;
    header.tick_hz = segment.tsc_frequency_hz;
    header.file_sequence = control_.next_file_sequence;  // after the files of a consumer
    header.start_tsc = segment.start_tsc;
    header.start_monotonic_ns = segment.start_monotonic_ns;
    header.start_realtime_ns = segment.start_realtime_ns;
    header.clock_source = static_cast<trace::ClockSource>(segment.clock_source);
    header.writer_version = segment.agent_version;
    header.service = segment.service;
    header.executable = segment.exe;
    header.host = segment.host;
    put(4096, [&](auto out) { return trace::write_header_block(header, out); });
  }

  // The same times that a consumerd gives: by the last one's clock, or measured over the whole run.
  void put_clock() {
    const shm::SegmentHeader& segment = image_.header();
    if (segment.tsc_frequency_hz == 0) {
      note("the header has no tick frequency; times are in ticks");
      add_clock({0, 0, std::uint64_t{1} << 40, 0, 0});
      return;
    }
    trace::ClockSteering clock({segment.start_tsc, segment.start_monotonic_ns,
                                segment.start_realtime_ns, segment.tsc_frequency_hz});
    const auto step = [this](std::uint64_t number) {
      const ControlWords::Step& from = control_.steps[(number - 1) % control_.steps.size()];
      return trace::ClockPoint{from.tsc0, from.unix_ns0, from.ns_per_tick, 0, 0};
    };
    const std::uint64_t steps = control_.clock_steps;
    const bool resumed =
        steps > 0 && clock.resume(step(steps > 1 ? steps - 1 : steps), step(steps));
    if (!resumed && is_this_boot(segment.boot_id)) {
      const shm::ClockReading now = shm::read_clocks();
      clock.measure({now.tsc, now.monotonic_ns, now.realtime_ns});
    }
    add_clock(clock.first());
    if (clock.last().tsc0 != clock.first().tsc0) add_clock(clock.last());
  }

  void add_clock(const trace::ClockPoint& point) {
    clocks_.add(point);
    put(256, [&](auto out) { return trace::write_clock_block(point, out); });
  }

  void put_losses() {
    const std::uint64_t since_tsc = image_.header().start_tsc;
    const trace::LossesBlock losses =
        salvaged_losses(control_, since_tsc, std::max(last_tsc_, since_tsc));
    if (losses.without_stream.empty()) return;
    put(256, [&](auto out) { return trace::write_losses_block(losses, out); });
  }

  void put_call_costs() {
    std::uint64_t until_tsc = std::max(last_tsc_, image_.header().start_tsc);
    // Newer than what a consumer has stated.
    if (is_this_boot(image_.header().boot_id)) until_tsc = std::max(until_tsc, shm::read_tsc());
    const trace::CallCostsBlock costs = salvaged_call_costs(image_, control_.rings_used, until_tsc);
    if (costs.one_in == 0 || costs.counts.calls() == 0) return;
    put(trace::call_costs_block_bytes(costs),
        [&](auto out) { return trace::write_call_costs_block(costs, out); });
  }

  void put_dictionary() {
    const std::vector<std::byte> bytes = image_.dictionary(control_.dictionary_bytes);
    const std::span<const std::byte> entries(bytes);
    std::size_t sound = 0;
    std::size_t written = 0;
    std::string why;
    const auto flush = [&] {
      if (sound == written) return;
      const auto block = entries.subspan(written, sound - written);
      put(block.size() + 64, [&](auto out) { return trace::write_dictionary_block(block, out); });
      written = sound;
    };
    while (sound < bytes.size()) {
      const std::uint32_t next = shm::entry_bytes(entries.subspan(sound));
      if (next == 0) why = "an entry is truncated or has an invalid length";
      if (next == 0 || !sites_.add(entries.subspan(sound, next), &why)) break;
      if (sound + next - written > kDictionaryBlockBytes) flush();
      sound += next;
    }
    flush();
    if (sound != control_.dictionary_bytes) {
      note(fmt::format("only {} of {} bytes of the dictionary are intact{}{}", sound,
                       control_.dictionary_bytes, why.empty() ? "" : ": ", why));
    }
  }

  void tell_overwritten(const RingWords& words, std::span<const std::byte> bytes,
                        trace::StreamCursor& cursor, SalvagedThread& thread) {
    std::uint64_t clock[2] = {};
    if (bytes.size() < shm::kClockRecordBytes) return;
    std::memcpy(clock, bytes.data(), sizeof clock);
    if (shm::head_id(clock[0]) == shm::kCodeClock) cursor.last_tsc = clock[1];
    if (words.oldest.sequence < cursor.next_sequence ||
        words.oldest.drops - cursor.booked_drops > words.oldest.sequence - cursor.next_sequence) {
      cursor.next_sequence = words.oldest.sequence;  // some of it is in snapshots
      cursor.booked_drops = words.oldest.drops;
      thread.drained = cursor.next_sequence;
      return;
    }
    const std::uint64_t dropped = words.oldest.drops - cursor.booked_drops;
    thread.overwritten = words.oldest.sequence - cursor.next_sequence - dropped;
    put_mark(shm::LossCause::kRingFull, dropped, cursor, thread);
    put_mark(shm::LossCause::kOverwritten, thread.overwritten, cursor, thread);
    cursor.booked_drops = words.oldest.drops;
  }

  void salvage_ring(std::uint32_t ring) {
    RingSnapshot shot =
        image_.overwritten() ? overwritten_ring(image_, ring) : drained_ring(image_, ring);
    if (!image_.is_locked(shm::kServiceLockByte)) add_nested(image_, ring, shot);
    const bool has_old = image_.overwritten() && !(only_new_ && drop_taken(shot));
    const RingWords& words = shot.words;
    if (words.generation == 0) return;  // never claimed
    SalvagedThread thread;
    thread.ring = ring;
    thread.thread_id = words.thread_id;
    thread.thread_name = words.thread_name;
    thread.ended = words.state == static_cast<std::uint32_t>(shm::RingState::kRetired);
    trace::StreamCursor cursor = image_.consumer_cursor(ring, words);
    thread.drained = cursor.next_sequence;
    put(256, [&](auto out) {
      return trace::write_stream_block(
          {words.stream_id, words.start_tsc, words.thread_id, ring, words.thread_name}, out);
    });
    if (shot.expected_bytes > image_.layout().ring_bytes) {
      thread.damage = "invalid positions";
      thread.lost_bytes = 0;
    } else {
      if (has_old) tell_overwritten(words, shot.bytes, cursor, thread);
      decode(shot, cursor, thread);
    }
    result_.threads.push_back(std::move(thread));
  }

  void decode(const RingSnapshot& shot, trace::StreamCursor& cursor, SalvagedThread& thread) {
    std::span<const std::byte> rest(shot.bytes);
    while (!rest.empty() && thread.damage.empty()) {
      const auto batch = rest.first(std::min(rest.size(), kBatchBytes));
      trace::EncodeResult done;
      put(2 * batch.size() + 4096, [&](auto out) {
        // A record that the consumer stamps has no time yet: it gets the time of the record before
        // it.
        done = encoder_.encode(batch, cursor, 0, cursor.last_tsc, out);
        return done.output_bytes;
      });
      rest = rest.subspan(done.consumed_bytes);
      thread.records += done.records;
      thread.dropped += done.dropped;
      if (done.stop == trace::EncodeStop::kCorrupt) {
        thread.damage = done.corrupt_reason;
      } else if (done.consumed_bytes == 0) {
        thread.damage = "unterminated record";
      }
    }
    last_tsc_ = std::max(last_tsc_, cursor.last_tsc);
    const std::uint64_t decoded = shot.bytes.size() - rest.size();
    thread.lost_bytes = shot.expected_bytes - decoded;
    if (thread.damage.empty() && thread.lost_bytes != 0)
      thread.damage = "the file is truncated before them";
    if (thread.records != 0) {
      thread.last_sequence = cursor.next_sequence - 1;
      thread.last_unix_ns = clocks_.unix_ns(cursor.last_tsc);
    }
    if (!thread.damage.empty()) return;
    look_behind(shot.words, cursor, thread);
    book_final_drops(shot.words, cursor, thread);
  }

  // A thread's reservation is not visible, but it stores the head of its record first. A head after
  // the last record that names a known site and is younger than that record is not from the
  // previous lap. (For sites that the consumer stamps, the head has no time and proves nothing.)
  void look_behind(const RingWords& words, const trace::StreamCursor& cursor,
                   SalvagedThread& thread) {
    const std::vector<std::byte> bytes =
        image_.ring_bytes(thread.ring, words.producer_pos, shm::kHeadBytes);
    std::uint64_t head = 0;
    if (bytes.size() != sizeof head) return;
    std::memcpy(&head, bytes.data(), sizeof head);
    const trace::Site* const site = sites_.find(shm::head_id(head));
    const bool extended = shm::head_id(head) == shm::kCodeExtended;
    if ((site == nullptr && !extended) || shm::head_tsc(head) == 0) return;
    if (shm::widen_tsc(shm::head_tsc(head), cursor.last_tsc) < cursor.last_tsc) return;
    thread.unfinished = true;
    if (site != nullptr) thread.unfinished_site = fmt::format("{}:{}", site->file, site->line);
  }

  void book_final_drops(const RingWords& words, trace::StreamCursor& cursor,
                        SalvagedThread& thread) {
    const trace::DropCounters counters{words.dropped_total, words.dropped_ring_full,
                                       words.dropped_consumer_absent, words.dropped_quarantined,
                                       words.dropped_abandoned};
    for (const trace::UntoldDrops& drops : trace::untold_drops(counters, cursor)) {
      put_mark(drops.cause, drops.count, cursor, thread);
    }
  }

  void put_mark(shm::LossCause cause, std::uint64_t count, trace::StreamCursor& cursor,
                SalvagedThread& thread) {
    if (count == 0) return;
    const auto mark = trace::drop_record({cause, count}, cursor);
    put(4096, [&](auto out) {
      const auto done =
          encoder_.encode(std::as_bytes(std::span(mark)), cursor, 0, cursor.last_tsc, out);
      thread.dropped += done.dropped;
      return done.output_bytes;
    });
  }

  SegmentImage& image_;
  const bool only_new_;
  ControlWords control_;
  SalvagedSegment result_;
  trace::SiteTable sites_;
  trace::ExtentEncoder encoder_{sites_};
  trace::ClockMap clocks_;
  std::uint64_t last_tsc_ = 0;  // of all records until now
};

}  // namespace

std::optional<SalvagedSegment> salvage_segment(const std::string& path, std::string* why) {
  const auto image = SegmentImage::open(path, why);
  return image == nullptr ? std::nullopt : std::optional(salvage_segment(*image, false));
}

SalvagedSegment salvage_segment(SegmentImage& image, bool only_new) {
  return Salvage(image, only_new).run();
}

}  // namespace ringside::tool
