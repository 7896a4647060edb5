#include "shm-layout/record_head.hpp"
#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/record_run.hpp"

#if defined(__x86_64__)

#include "trace-format/codec/argument_lanes_avx512.hpp"

namespace ringside::trace {
namespace {

RINGSIDE_INLINE __m512i arguments_at(const Constants& c, const std::byte* p) {
  const __m512i v = _mm512_maskz_permutexvar_epi8(c.spread_mask, c.spread, _mm512_loadu_si512(p));
  return _mm512_sub_epi64(_mm512_xor_si512(v, c.sign), c.sign);
}

template <bool kHasFloats>
RINGSIDE_WIDE void long_run(const RunPlan& plan, std::uint64_t* numbers, RecordRun& run) {
  constexpr std::uint64_t kRefused = ~(std::uint64_t{0xFFFFFFFF} << shm::kHeadIdBits);
  const Constants c = constants_of(plan);
  const std::size_t record_bytes = plan.record_bytes;
  const std::size_t tag_bytes = plan.argument_tag_bytes;
  const std::byte* p = run.p;
  std::byte* o = run.o;
  const std::byte* const last_start = run.input_end - (shm::kHeadBytes + kRunBytes);
  const std::byte* const output_limit = run.output_limit;
  std::uint64_t head = shm::make_head(run.previous, run.id);
  std::uint64_t time = run.previous;
  __m512i last = arguments_at(c, run.arguments);
  while (p <= last_start && o <= output_limit) {
    const std::uint64_t distance = load<std::uint64_t>(p) - head;
    if ((distance & kRefused) != 0) break;
    const std::byte* const arguments = p + shm::kHeadBytes;
    Vector x;
    x.lanes = x.value = arguments_at(c, arguments);
    x.distance = _mm512_sub_epi64(x.lanes, last);
    x.differs = _mm512_test_epi64_mask(x.distance, x.distance);
    last = x.lanes;
    const std::uint64_t delta = distance >> shm::kHeadIdBits;
    const auto time_bytes = 8 - (_lzcnt_u64(delta) >> 3);  // 0 for 0
    head += distance;
    time += delta;
    p += record_bytes;
    store(o, delta << 8 | time_bytes);
    const unsigned changed = x.differs;
    if (changed == 0) {
      *o = static_cast<std::byte>(kPlaceSameValues << 4 | time_bytes);
      o += 1 + time_bytes;
      continue;
    }
    o += 1 + time_bytes;
    code<kHasFloats>(c, x);
    if constexpr (kHasFloats) {
      const unsigned known = known_doubles(plan, arguments, plan.doubles_each, changed, numbers);
      if (known != 0) code_known(x, known);
    }
    const __m128i tags = _mm512_castsi512_si128(_mm512_permutexvar_epi8(c.gather_tags, x.tag));
    const auto keep =
        static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_shuffle_epi8(c.follows, tags)));
    store(o, static_cast<std::uint32_t>(_pext_u64(
                 static_cast<std::uint64_t>(_mm_cvtsi128_si64(tags)), 0x0F0F0F0F0F0F0F0F)));
    o += tag_bytes;
    _mm512_storeu_si512(o, _mm512_maskz_compress_epi8(keep, x.rest));
    o += _mm_popcnt_u64(keep);
  }
  run.records = static_cast<std::uint32_t>(static_cast<std::size_t>(p - run.p) / record_bytes);
  run.arguments = p - (record_bytes - shm::kHeadBytes);
  run.p = p;
  run.o = o;
  run.previous = time;
}

}  // namespace

RINGSIDE_WIDE void long_run_avx512(const RunPlan& plan, std::uint64_t* numbers, RecordRun& run) {
  if (plan.floats == 0) return long_run<false>(plan, numbers, run);
  return long_run<true>(plan, numbers, run);
}

}  // namespace ringside::trace

#endif
