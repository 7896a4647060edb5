// How the wide kernels process lanes of 8 bytes that hold arguments. Only for files that are for
// processors with AVX-512.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/blocks/wide_target.hpp"
#include "trace-format/codec/run_plan.hpp"
#include "trace-format/codec/value_codec.hpp"

namespace ringside::trace {

RINGSIDE_WIDE inline __m512i wide(const RunPlan::Lanes& lanes) {
  return _mm512_load_si512(lanes.data());
}
RINGSIDE_WIDE inline __m512i wide(const RunPlan::Bytes& bytes) {
  return _mm512_load_si512(bytes.data());
}
RINGSIDE_WIDE inline __m512i all(std::int64_t value) {
  return _mm512_set1_epi64(value);
}

// Returns which doubles are in the history, and adds the others. `changed`: lanes that differ from
// the record before.
RINGSIDE_WIDE inline unsigned known_doubles(const RunPlan& plan, const std::byte* p,
                                            std::size_t count, unsigned changed,
                                            std::uint64_t* numbers) {
  unsigned known = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = load<std::uint64_t>(p + plan.double_offset[i]);
    const unsigned lane = plan.double_lane[i];
    const std::size_t slot = (changed >> lane & 1) != 0 ? number_slot(bits) : kHistorySlots;
    known |= (numbers[slot] == bits ? 1U : 0U) << lane;
    numbers[slot] = bits;
  }
  return known & changed;
}

// By tag: the number of bytes that follow, as low bits set.
RINGSIDE_WIDE inline __m128i bytes_of_tag() {
  return _mm_setr_epi8(0, 1, 3, 7, 15, 31, 63, 127, -1, 1, 3, 7, 15, 1, 1, 3);
}

// Keeps a constant in a register: otherwise the compiler recreates some of them in each step.
RINGSIDE_WIDE inline __m512i kept(std::int64_t value) {
  __m512i lanes = _mm512_set1_epi64(value);
  asm("" : "+v"(lanes));
  return lanes;
}

// Constants of a run, in registers.
struct Constants {
  __m512i spread, sign, before, refused, floor, flip, base, low_tags, high_tags;
  __m512i ones, complemented, in_1_byte, in_2_bytes, up_2_bytes, tag_complement, tag_up_1, tag_up_2;
  __m512i same_values, byte_bits, gather_tags;
  __m128i follows;
  __mmask64 spread_mask;
  std::uint64_t head_low, head_all, tag_bytes;
  unsigned lanes, argument_lanes, head_lanes;
  __mmask8 heads, integers, floats;
};

RINGSIDE_WIDE inline Constants constants_of(const RunPlan& plan) {
  return {
      .spread = wide(plan.spread),
      .sign = wide(plan.sign),
      .before = wide(plan.before),
      .refused = wide(plan.refused),
      .floor = wide(plan.floor),
      .flip = wide(plan.flip),
      .base = wide(plan.base),
      .low_tags = wide(plan.low_tags),
      .high_tags = wide(plan.high_tags),
      .ones = kept(-1),
      .complemented = kept(-0x100000000),
      .in_1_byte = kept(0x100),
      .in_2_bytes = kept(0xFFFF),
      .up_2_bytes = kept(0x10000),
      .tag_complement = kept(kTagComplement),
      .tag_up_1 = kept(kTagUp1),
      .tag_up_2 = kept(kTagUp2),
      .same_values = kept(kPlaceSameValues << 4),
      .byte_bits = kept(56),
      .gather_tags = kept(0x3830282018100800),
      .follows = bytes_of_tag(),
      .spread_mask = plan.spread_mask,
      .head_low = plan.head_bytes,
      .head_all = plan.head_bytes * 0xFF,
      .tag_bytes = plan.tag_bytes,
      .lanes = plan.lanes,
      .argument_lanes = plan.arguments,
      .head_lanes = plan.heads,
      .heads = plan.heads,
      .integers = plan.integers,
      .floats = plan.floats,
  };
}

// Records in registers.
struct Vector {
  __m512i lanes;       // heads and arguments
  __m512i distance;    // to those of the record before
  __m512i value;       // arguments; for a head, the time since the record before, one byte upwards
  __m512i tag;         // in the lowest byte of the lanes
  __m512i rest;        // the bytes to write, including the gaps between them
  std::uint64_t keep;  // mask of the bytes to keep
  __mmask8 odd;        // heads that end the run
  __mmask8 differs;    // lanes that differ from the record before
};

// Tags and bytes of the lanes that differ.
template <bool kHasFloats>
RINGSIDE_INLINE void code(const Constants& c, Vector& x) {
  const __mmask8 coded = _kand_mask8(x.differs, c.integers);
  // Negative, and at most 4 bytes of the complement.
  const __mmask8 negative = _mm512_mask_cmpge_epu64_mask(coded, x.value, c.complemented);
  __m512i rest = _mm512_mask_xor_epi64(x.value, negative, x.value, c.ones);
  __m512i significant = _mm512_or_si512(rest, c.floor);
  if constexpr (kHasFloats) {
    significant = _mm512_mask_and_epi64(significant, c.floats, significant,
                                        _mm512_sub_epi64(_mm512_setzero_si512(), significant));
  }
  const __m512i zero_bits = _mm512_lzcnt_epi64(significant);
  const __m512i zeros = _mm512_srli_epi64(zero_bits, 3);
  __m512i tag = _mm512_maskz_add_epi64(x.differs, _mm512_xor_si512(zeros, c.flip), c.base);
  if constexpr (kHasFloats) {
    // The bits of the whole bytes below the lowest nonzero byte.
    const __m512i unused = _mm512_andnot_si512(zero_bits, c.byte_bits);
    rest = _mm512_mask_srlv_epi64(rest, c.floats, rest, unused);
  }
  const __m512i distance = _mm512_add_epi64(_mm512_abs_epi64(x.distance), c.ones);
  const __mmask8 near = _mm512_mask_cmplt_epu64_mask(coded, distance, c.in_1_byte);
  const __mmask8 up2 = _mm512_mask_cmple_epu64_mask(
      _mm512_mask_cmpgt_epu64_mask(coded, rest, c.in_2_bytes), x.distance, c.up_2_bytes);
  tag = _mm512_mask_add_epi64(tag, negative, tag, c.tag_complement);
  tag = _mm512_mask_mov_epi64(tag, up2, c.tag_up_2);
  x.tag = _mm512_mask_add_epi64(tag, near, _mm512_srli_epi64(x.distance, 63), c.tag_up_1);
  x.rest = _mm512_mask_mov_epi64(rest, _kor_mask8(near, up2), distance);
}

// Doubles that are in the history.
RINGSIDE_WIDE inline void code_known(Vector& x, unsigned known) {
  const auto mask = static_cast<__mmask8>(known);
  const __m512i slot = _mm512_srli_epi64(
      _mm512_mullo_epi64(x.value, all(static_cast<std::int64_t>(kNumberHash))), 56);
  x.rest = _mm512_mask_mov_epi64(x.rest, mask, slot);
  x.tag = _mm512_mask_mov_epi64(x.tag, mask, all(kTagNumberSlot));
}

}  // namespace ringside::trace
