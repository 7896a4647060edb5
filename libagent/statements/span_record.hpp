#pragma once
// The record of a span whose values are only known at run time.

#include <cstdint>
#include <cstring>

#include "libagent/include/ringside/span_abi.h"
#include "shm-layout/record_head.hpp"

namespace ringside {

// As rs_record_pieces(), with a duration: from `begin`, a time of rs_clock(), to now.
void record_span_pieces(rs_site* site, std::uint8_t state, std::uint64_t begin,
                        const rs_piece* pieces, std::uint32_t count);

// Writes the head of such a record up to its values, and returns where these begin. `flags`:
// besides those of each span.
inline unsigned char* store_span_head(unsigned char* p, std::uint32_t site_id, std::uint32_t bytes,
                                      std::uint64_t tsc, std::uint64_t begin,
                                      std::uint32_t flags = 0) {
  const std::uint64_t head = shm::make_head(tsc, shm::kCodeExtended);
  const std::uint32_t words[3] = {site_id, RS_EXTENDED_SPAN | flags, bytes};
  // Without a time of its own, the record's end is when the consumer reads it.
  const std::uint64_t end = tsc != 0 ? tsc : rs_clock();
  const std::uint64_t duration = end > begin ? end - begin : 0;
  std::memcpy(p, &head, sizeof head);
  std::memcpy(p + sizeof head, words, sizeof words);
  std::memcpy(p + sizeof head + sizeof words, &duration, sizeof duration);
  return p + RS_SPAN_HEAD_BYTES;
}

}  // namespace ringside
