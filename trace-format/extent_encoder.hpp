// Turns published ring bytes into EXTENT blocks. This is consumerd's inner loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "trace-format/site_table.hpp"

namespace ringside::trace {

// Where one stream stands. consumerd keeps it in the ring's consumer line and in the journal.
struct StreamCursor {
  std::uint64_t stream_id = 0;
  std::uint64_t next_sequence = 0;
  std::uint64_t last_tsc = 0;      // full width: what the next record's 44 bits are widened by
  std::uint64_t booked_drops = 0;  // records that drop records have told of
  std::uint64_t booked_consumer_absent = 0;  // of these, lost for want of a consumer
};

enum class EncodeStop : std::uint8_t {
  kInputEnd,    // everything is consumed
  kIncomplete,  // the input ends inside a record
  kOutputFull,
  kBeforeDrop,  // a drop record comes next, and this extent has records or other drops: call again
  kCorrupt,     // the input violates the layout; what stands before is encoded
  kSiteLimit,   // the extent has as many sites as one may have: call again
};

struct EncodeResult {
  std::size_t consumed_bytes = 0;
  std::size_t output_bytes = 0;  // one whole block, or 0
  std::uint32_t records = 0;
  std::uint64_t dropped = 0;
  EncodeStop stop = EncodeStop::kInputEnd;
  std::uint32_t corrupt_offset = 0;      // in the input, with kCorrupt
  const char* corrupt_reason = nullptr;  // a literal, with kCorrupt
};

// kBest are the fastest that the processor has. All write the same bytes.
enum class EncoderKernels : std::uint8_t { kBest, kPortable };

// One for each encoder thread. Allocates only when the site table has grown, and when a site's
// records come in a run for the first time.
class ExtentEncoder {
 public:
  // `sites` must outlive the encoder and may grow between calls (not during one). A record of a
  // site that it does not know is corrupt: load the dictionary after the producer position.
  explicit ExtentEncoder(const SiteTable& sites, EncoderKernels kernels = EncoderKernels::kBest);
  ~ExtentEncoder();
  ExtentEncoder(const ExtentEncoder&) = delete;
  ExtentEncoder& operator=(const ExtentEncoder&) = delete;

  // Encodes records from the front of `input`, a PRIVATE copy of published ring bytes that starts
  // at a record, as one EXTENT block at the front of `out`, and moves `cursor` past what was
  // consumed. Bytes of `out` behind the block may be overwritten, bytes behind `out` are not.
  // Nothing but control records and no drop: output_bytes is 0.
  //
  // Any record fits if `out` has twice its bytes + 4096; a drop alone needs 80 bytes. An input of
  // more than 4 GiB is looked at up to there.
  // `watermark_tsc`: of the last sequence point written; older records make the extent `late`.
  // `consumer_tsc`: now, for sites without a clock of their own.
  EncodeResult encode(std::span<const std::byte> input, StreamCursor& cursor,
                      std::uint64_t watermark_tsc, std::uint64_t consumer_tsc,
                      std::span<std::byte> out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside::trace
