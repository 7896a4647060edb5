#include "tools/files/extent_reencoder.hpp"

#include <algorithm>
#include <vector>

#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/record_head.hpp"
#include "tools/files/ring_record.hpp"
#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/lost_extent.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kRunBytes = std::size_t{4} << 20;
// Far below what a decoder of an extent accepts.
constexpr std::size_t kMostContextValues = std::size_t{1} << 19;
constexpr std::size_t kSiteFlagsOffset = 27;  // in a dictionary entry

}  // namespace

bool ExtentReencoder::add_sites(std::span<const std::byte> entries, std::string* why) {
  std::vector<std::byte> stamped(entries.begin(), entries.end());
  for (std::size_t at = 0; at + 8 <= stamped.size();) {
    const std::size_t bytes = trace::load<std::uint32_t>(stamped.data() + at);
    if (bytes < 8 || bytes > stamped.size() - at) break;
    const bool is_site = shm::is_site_entry(trace::load<std::uint16_t>(stamped.data() + at + 4));
    if (is_site && bytes > kSiteFlagsOffset)
      stamped[at + kSiteFlagsOffset] &= ~static_cast<std::byte>(shm::kSiteConsumerClock);
    at += bytes;
  }
  return stamped_sites_.add(stamped, why);
}

void ExtentReencoder::begin(const trace::ExtentHeader& header, std::uint64_t watermark) {
  end_run();
  stream_id_ = header.stream_id;
  processor_ = header.processor();
  watermark_ = watermark;
  has_failed_ = false;
}

void ExtentReencoder::add_losses(const trace::ExtentHeader& header) {
  end_run();
  const std::uint64_t dropped = std::min(header.dropped, header.first_sequence);
  if (dropped == 0) return;
  if (!header.has_lost()) {
    // A cause that no service may state: the encoder does not accept it from a ring.
    trace::ExtentHeader lost = header;
    lost.dropped = dropped;
    lost.records = 0;
    return take_(lost, trace::lost_extent(lost));
  }
  append_drop_record(header.base_tsc, dropped, header.drop_cause, ring_);
  first_sequence_ = header.first_sequence - dropped;
  next_sequence_ = header.first_sequence;
  first_tsc_ = last_tsc_ = header.base_tsc;
  is_lost_only_ = true;
}

void ExtentReencoder::add(const trace::Record& record) {
  const bool goes_on = !ring_.empty() && next_sequence_ == record.sequence &&
                       ring_.size() < kRunBytes && context_values_ < kMostContextValues;
  if (!goes_on) {
    end_run();
    first_sequence_ = record.sequence;
    first_tsc_ = last_tsc_ = record.tsc;
  }
  if (ring_.empty() || is_lost_only_) {
    // A context's own record replaces it.
    context_ = stream_context(record.context);
    is_lost_only_ = false;
  }
  if (record.site->kind == shm::SiteKind::kContext) context_values_ += record.args.size();
  const std::uint64_t distance =
      record.tsc > last_tsc_ ? record.tsc - last_tsc_ : last_tsc_ - record.tsc;
  if (distance >= shm::kClockIntervalTicks) append_clock_record(record.tsc, processor_, ring_);
  append_ring_record(record, ring_);
  last_tsc_ = record.tsc;
  next_sequence_ = record.sequence + 1;
}

void ExtentReencoder::end_run() {
  constexpr std::size_t kMostBytes = trace::kBlockHeaderBytes + trace::kMaxPayloadBytes;
  if (ring_.empty()) return;
  trace::StreamCursor cursor;
  cursor.stream_id = stream_id_;
  cursor.next_sequence = first_sequence_;
  cursor.last_tsc = first_tsc_;
  cursor.processor = processor_;
  cursor.context = std::move(context_);
  std::span<const std::byte> left = std::as_bytes(std::span(ring_));
  std::vector<std::byte> out(std::min(kMostBytes, 2 * left.size() + 4096));
  while (!left.empty()) {
    const trace::EncodeResult done = encoder_.encode(left, cursor, watermark_, 0, out);
    if (done.output_bytes != 0) {
      const auto block = std::span<const std::byte>(out).first(done.output_bytes);
      trace::ExtentHeader header;
      if (trace::ExtentHeader::parse(block.subspan(trace::kBlockHeaderBytes), header))
        take_(header, block);
    }
    left = left.subspan(done.consumed_bytes);
    if (done.stop == trace::EncodeStop::kCorrupt || done.consumed_bytes == 0) {
      has_failed_ = has_failed_ || !left.empty();
      break;
    }
  }
  ring_.clear();
  context_ = {};
  context_values_ = 0;
  is_lost_only_ = false;
}

}  // namespace ringside::tool
