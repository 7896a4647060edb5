// The part of SectionRewriter that encodes records again.
#include <algorithm>
#include <utility>

#include "shm-layout/record_head.hpp"
#include "tools/files/ring_record.hpp"
#include "tools/files/section_rewriter.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{4} << 20;
// Far below what a decoder of an extent accepts.
constexpr std::size_t kMostContextValues = std::size_t{1} << 19;

}  // namespace

struct SectionRewriter::Chunk {
  std::string ring;
  std::uint64_t stream_id = 0;
  std::uint64_t first_sequence = 0;
  std::uint64_t next_sequence = 0;  // next number of the present extent
  std::uint64_t first_tsc = 0;
  std::uint64_t last_tsc = 0;
  std::uint32_t processor = 0;     // its code
  bool is_lost_only = false;       // it has lost records, but no record yet
  trace::StreamContext context;    // before its first record
  std::size_t context_values = 0;  // of the contexts that it enters
};

void SectionRewriter::encode_again(const trace::Block& block, const trace::ExtentHeader& header) {
  Chunk chunk;
  chunk.stream_id = header.stream_id;
  chunk.processor = header.processor();
  const std::uint64_t dropped = std::min(header.dropped, header.first_sequence);
  if (dropped != 0 && wants(header.base_tsc)) {
    append_drop_record(header.base_tsc, dropped, header.drop_cause, chunk.ring);
    chunk.first_sequence = header.first_sequence - dropped;
    chunk.next_sequence = header.first_sequence;
    chunk.first_tsc = chunk.last_tsc = header.base_tsc;
    chunk.is_lost_only = true;
  }
  std::string why;
  if (!decoder_.open(block.payload, sites_, &why)) return encode(chunk, block.offset);
  trace::Record record;
  while (decoder_.next(record)) {
    if (!wants(record.tsc)) continue;
    const bool goes_on = !chunk.ring.empty() && chunk.next_sequence == record.sequence &&
                         chunk.ring.size() < kChunkBytes &&
                         chunk.context_values < kMostContextValues;
    if (!goes_on) {
      encode(chunk, block.offset);
      chunk.first_sequence = record.sequence;
      chunk.first_tsc = chunk.last_tsc = record.tsc;
    }
    if (chunk.ring.empty() || chunk.is_lost_only) {
      // A context's own record replaces it.
      chunk.context = stream_context(record.context);
      chunk.is_lost_only = false;
    }
    if (record.site->kind == shm::SiteKind::kContext) {
      chunk.context_values += record.args.size();
    }
    const std::uint64_t distance =
        record.tsc > chunk.last_tsc ? record.tsc - chunk.last_tsc : chunk.last_tsc - record.tsc;
    if (distance >= shm::kClockIntervalTicks) {
      append_clock_record(record.tsc, chunk.processor, chunk.ring);
    }
    append_ring_record(record, chunk.ring);
    chunk.last_tsc = record.tsc;
    chunk.next_sequence = record.sequence + 1;
  }
  encode(chunk, block.offset);
}

// Writes the chunk's records, and empties it.
void SectionRewriter::encode(Chunk& chunk, std::uint64_t offset) {
  constexpr std::size_t kMostBytes = trace::kBlockHeaderBytes + trace::kMaxPayloadBytes;
  trace::StreamCursor cursor;
  cursor.stream_id = chunk.stream_id;
  cursor.next_sequence = chunk.first_sequence;
  cursor.last_tsc = chunk.first_tsc;
  cursor.processor = chunk.processor;
  cursor.context = std::move(chunk.context);
  std::span<const std::byte> left = std::as_bytes(std::span(chunk.ring));
  std::vector<std::byte> out(std::min(kMostBytes, 2 * left.size() + 4096));
  while (!left.empty()) {
    const trace::EncodeResult done = encoder_.encode(left, cursor, watermark_, 0, out);
    if (done.output_bytes != 0) {
      const auto block = std::span<const std::byte>(out).first(done.output_bytes);
      const auto payload = block.subspan(trace::kBlockHeaderBytes);
      trace::ExtentHeader header;
      if (trace::ExtentHeader::parse(payload, header)) {
        write_extent(header, block.first(trace::kBlockHeaderBytes), payload);
      }
    }
    left = left.subspan(done.consumed_bytes);
    if (done.stop == trace::EncodeStop::kCorrupt || done.consumed_bytes == 0) {
      if (!left.empty()) leave_out(offset, "records of an extent cannot be encoded again");
      break;
    }
  }
  chunk.ring.clear();
  chunk.context = {};
  chunk.context_values = 0;
}

}  // namespace ringside::tool
