#include "shm-layout/record_head.hpp"
#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/record_run.hpp"
#include "trace-format/codec/value_codec.hpp"

#if defined(__x86_64__)

#include "trace-format/blocks/wide_target.hpp"

namespace ringside::trace {
namespace {

// text_hash() without a call; `first`: the 8 bytes at `text`, which may reach past it.
RINGSIDE_INLINE std::uint64_t hash_of(std::uint64_t first, const std::byte* text,
                                      std::uint64_t bytes) {
  // The length and the record's head precede a text, so 8 bytes before it may be read.
  const auto last = load<std::uint64_t>(text + bytes - 8);
  const std::uint64_t a = bytes < 8 ? _bzhi_u64(first, static_cast<unsigned>(8 * bytes)) : first;
  const std::uint64_t b = bytes < 8 ? 0 : last;
  std::uint64_t x = (a ^ bytes) * kTextHash1;
  x ^= x >> 29;
  x = (x ^ b) * kTextHash2;
  return x;
}

// Bits for the bytes after the first 64 in which two texts of `bytes` differ.
RINGSIDE_INLINE std::uint64_t differing_tail(const std::byte* a, const std::byte* b,
                                             std::uint64_t bytes) {
  std::uint64_t differing = 0;
  for (std::uint64_t i = kRunBytes; i < bytes; i += kRunBytes) {
    const __mmask64 mask = _bzhi_u64(~std::uint64_t{0}, bytes - i);
    differing |=
        _mm512_mask_cmpneq_epu8_mask(mask, _mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i));
  }
  return differing;
}

}  // namespace

RINGSIDE_WIDE void text_run_avx512(KnownText* texts, RecordRun& run) {
  constexpr std::uint64_t kRefused = ~(std::uint64_t{0xFFFFFFFF} << shm::kHeadIdBits);
  constexpr std::size_t kTextAt = shm::kHeadBytes + 4;
  constexpr std::size_t kMost = kRunTextBytes + 1;  // read and written in steps of kRunBytes
  static_assert(kMost % kRunBytes == 0);
  if (static_cast<std::size_t>(run.input_end - run.p) < kTextAt + kMost) return;
  const std::byte* const last_start = run.input_end - (kTextAt + kMost);
  const std::byte* const output_limit = run.output_limit;
  const std::byte* p = run.p;
  std::byte* o = run.o;
  std::uint64_t head = shm::make_head(run.previous, run.id);
  std::uint64_t time = run.previous;
  std::uint32_t records = 0;
  std::uint64_t bytes_before = load<std::uint32_t>(run.arguments);
  const std::byte* before = run.arguments + 4;
  __m512i text_before = _mm512_loadu_si512(before);
  while (p <= last_start && o <= output_limit) {
    const std::uint64_t distance = load<std::uint64_t>(p) - head;
    const std::uint64_t bytes = load<std::uint32_t>(p + shm::kHeadBytes);
    // Empty texts are not worth the effort either.
    if ((distance & kRefused) != 0 || bytes - 1 >= kRunTextBytes) break;
    const bool is_long = bytes > kRunBytes;
    const std::uint64_t delta = distance >> shm::kHeadIdBits;
    // 0 bytes for 0.
    const auto time_bytes = 8 - (_lzcnt_u64(delta) >> 3);
    head += distance;
    time += delta;
    const std::byte* const at = p + kTextAt;
    p = at + bytes;
    ++records;
    const __mmask64 mask = _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(bytes));
    const __m512i text = _mm512_loadu_si512(at);
    store(o, delta << 8 | time_bytes);
    if (bytes == bytes_before && _mm512_mask_cmpneq_epu8_mask(mask, text, text_before) == 0 &&
        (!is_long || differing_tail(at, before, bytes) == 0)) {
      *o = static_cast<std::byte>(kPlaceSameValues << 4 | time_bytes);
      o += 1 + time_bytes;
      continue;
    }
    o += 1 + time_bytes;
    const auto first = load<std::uint64_t>(at);
    const std::uint64_t hash = hash_of(first, at, bytes);
    const std::uint64_t key = KnownText::key_of(hash, bytes);
    KnownText& known = texts[hash >> 56];
    // Without a branch: a processor cannot predict which texts recur.
    const std::byte* const like = known.key == key ? known.data : at;
    const __mmask64 differing = _mm512_mask_cmpneq_epu8_mask(mask, text, _mm512_loadu_si512(like));
    std::uint64_t novel = differing | (known.key ^ key);
    if (is_long) novel |= differing_tail(at, like, bytes);
    known = {at, key};  // the same text if it is known
    std::uint64_t tag = bytes == bytes_before ? kTagTextSameLength : kTagText1 | bytes << 8;
    std::uint64_t tag_bytes = bytes == bytes_before ? 1 : 2;
    std::uint64_t written = bytes;
    std::uint64_t front = first;
    if (novel == 0) tag = kTagTextSlot;
    if (novel == 0) tag_bytes = 1;
    if (novel == 0) written = 1;
    if (novel == 0) front = hash >> 56;
    store(o, static_cast<std::uint16_t>(tag));
    o += tag_bytes;
    _mm512_storeu_si512(o, text);
    for (std::uint64_t i = kRunBytes; i < bytes; i += kRunBytes) {
      _mm512_storeu_si512(o + i, _mm512_loadu_si512(at + i));
    }
    store(o, front);
    o += written;
    before = at;
    text_before = text;
    bytes_before = bytes;
  }
  run.p = p;
  run.o = o;
  run.arguments = before - 4;
  run.previous = time;
  run.records = records;
}

}  // namespace ringside::trace

#endif
