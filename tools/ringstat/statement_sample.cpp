#include "tools/ringstat/statement_sample.hpp"

#include <string>

#include "tools/query/trace_stats.hpp"
#include "trace-format/blocks/block_frame.hpp"

namespace ringside::tool {

// Uses the encoder, which checks every byte of this untrusted data, and then the decoder.
StatementSample::Share StatementSample::add(std::span<const std::byte> bytes, double weight) {
  Share sum;
  trace::StreamCursor cursor;
  extent_.resize(2 * bytes.size() + 4096);
  while (!bytes.empty()) {
    const trace::EncodeResult done = encoder_.encode(bytes, cursor, 0, cursor.last_tsc, extent_);
    bytes = bytes.subspan(done.consumed_bytes);
    trace::BlockFrame frame;
    const auto block = std::span<const std::byte>(extent_).first(done.output_bytes);
    if (!block.empty() && trace::parse_block_frame(block, frame)) {
      std::string why;
      if (!decoder_.open(block.subspan(trace::kBlockHeaderBytes), sites_, &why)) break;
      trace::Record record;
      while (decoder_.next(record)) {
        const std::uint32_t id = record.site->id;
        if (id >= by_site_.size()) by_site_.resize(id + std::size_t{1});
        const auto record_bytes = static_cast<double>(ring_bytes_of(record));
        by_site_[id].records += weight;
        by_site_[id].bytes += weight * record_bytes;
        sum.records += 1;
        sum.bytes += record_bytes;
      }
    }
    if (done.consumed_bytes == 0 || done.stop == trace::EncodeStop::kCorrupt ||
        done.stop == trace::EncodeStop::kIncomplete) {
      break;
    }
  }
  return sum;
}

void StatementSample::fade() {
  for (Share& share : by_site_) {
    share.records /= 2;
    share.bytes /= 2;
    // Removes statements that no longer run: values this small do not represent a record.
    if (share.records < 0.5) share = {};
  }
}

}  // namespace ringside::tool
