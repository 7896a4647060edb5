// Converts published ring bytes to EXTENT blocks. This is consumerd's inner loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "trace-format/codec/site_table.hpp"

namespace ringside::trace {

// The record of the context that is in force in a stream.
struct StreamContext {
  std::uint32_t site_id = 0;         // 0: none
  std::vector<std::byte> arguments;  // as in the ring, at most shm::kMaxContextBytes
};

// The position in one stream. consumerd keeps it in the ring's consumer line and in the journal.
struct StreamCursor {
  std::uint64_t stream_id = 0;
  std::uint64_t next_sequence = 0;
  std::uint64_t last_tsc = 0;      // full width: base for widening the next record's 44 bits
  std::uint64_t booked_drops = 0;  // drops already reported by drop records
  std::uint64_t booked_consumer_absent = 0;  // part of them with cause kNoConsumer
  std::uint32_t processor = 0;               // code of the next record's, shm::processor_code()
  StreamContext context = {};
};

enum class EncodeStop : std::uint8_t {
  kInputEnd,    // everything is consumed
  kIncomplete,  // the input ends inside a record
  kOutputFull,
  kBeforeDrop,  // a drop record is next, and this extent has records or other drops: call again
  kBeforeMove,  // a clock record with another processor is next, and this extent has records: call
                // again
  kCorrupt,     // the input violates the layout; everything before is encoded
  kSiteLimit,   // the extent has the maximum number of sites: call again
};

struct EncodeResult {
  std::size_t consumed_bytes = 0;
  std::size_t output_bytes = 0;  // one complete block, or 0
  std::uint32_t records = 0;
  std::uint64_t dropped = 0;
  EncodeStop stop = EncodeStop::kInputEnd;
  std::uint32_t corrupt_offset = 0;      // in the input, with kCorrupt
  const char* corrupt_reason = nullptr;  // a literal, with kCorrupt
};

// kBest: the fastest kernels that the processor supports. All write the same bytes.
enum class EncoderKernels : std::uint8_t { kBest, kPortable };

// One for each encoder thread. Allocates only when the site table has grown, and at the first run
// of a site's records.
class ExtentEncoder {
 public:
  // `sites` must outlive the encoder and may grow between calls (not during one). A record of an
  // unknown site is corrupt: load the dictionary after the producer position.
  explicit ExtentEncoder(const SiteTable& sites, EncoderKernels kernels = EncoderKernels::kBest);
  ~ExtentEncoder();
  ExtentEncoder(const ExtentEncoder&) = delete;
  ExtentEncoder& operator=(const ExtentEncoder&) = delete;

  // Encodes records from the front of `input`, a PRIVATE copy of published ring bytes that starts
  // at a record, as one EXTENT block at the front of `out`, and moves `cursor` past the consumed
  // bytes. Bytes of `out` after the block may be overwritten, bytes after `out` are not. If the
  // input has only control records and no drop, output_bytes is 0.
  //
  // Any record fits if `out` has twice its bytes + 4096; a drop alone needs 80 bytes. Of a longer
  // input only the first 4 GiB are read. `watermark_tsc`: of the last sequence point written; older
  // records make the extent `late`. `consumer_tsc`: the time stamp for sites that do not read the
  // clock.
  EncodeResult encode(std::span<const std::byte> input, StreamCursor& cursor,
                      std::uint64_t watermark_tsc, std::uint64_t consumer_tsc,
                      std::span<std::byte> out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside::trace
