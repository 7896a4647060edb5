#include "trace-format/codec/record_run.hpp"

#if defined(__x86_64__)

#include "shm-layout/record_head.hpp"
#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/blocks/wide_target.hpp"
#include "trace-format/codec/argument_lanes_avx512.hpp"
#include "trace-format/codec/value_codec.hpp"

namespace ringside::trace {
namespace {

// The lanes of the record before the run, at the position of a vector's last record.
RINGSIDE_WIDE inline __m512i lanes_before(const RunPlan& plan, const RecordRun& run) {
  const __m512i from_arguments =
      _mm512_sub_epi8(wide(plan.spread), _mm512_set1_epi8(shm::kHeadBytes));
  const std::uint64_t first =
      _bzhi_u64(plan.spread_mask, std::uint64_t{8} * plan.lanes) & ~std::uint64_t{0xFF};
  __m512i v =
      _mm512_maskz_permutexvar_epi8(first, from_arguments, _mm512_loadu_si512(run.arguments));
  v = _mm512_mask_set1_epi64(v, 1, static_cast<std::int64_t>(shm::make_head(run.previous, run.id)));
  const __m512i sign = wide(plan.sign);
  v = _mm512_sub_epi64(_mm512_xor_si512(v, sign), sign);
  const std::int64_t skipped = (std::int64_t{plan.records} - 1) * plan.lanes;
  const __m512i place = _mm512_sub_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), all(skipped));
  return _mm512_permutexvar_epi64(place, v);
}

template <bool kHasArguments>
RINGSIDE_INLINE Vector vector_at(const Constants& c, const std::byte* p, __m512i last) {
  Vector x;
  x.lanes = _mm512_maskz_permutexvar_epi8(c.spread_mask, c.spread, _mm512_loadu_si512(p));
  if constexpr (kHasArguments) {
    x.lanes = _mm512_sub_epi64(_mm512_xor_si512(x.lanes, c.sign), c.sign);
  }
  x.distance = _mm512_sub_epi64(x.lanes, _mm512_permutex2var_epi64(last, c.before, x.lanes));
  x.odd = _mm512_test_epi64_mask(x.distance, c.refused);
  x.differs = _mm512_test_epi64_mask(x.distance, x.distance);
  x.value = _mm512_mask_srli_epi64(x.lanes, c.heads, x.distance, shm::kHeadIdBits - 8);
  return x;
}

RINGSIDE_INLINE std::uint64_t bytes_that_follow(const Constants& c, __m512i tag) {
  const __m128i tags = _mm512_castsi512_si128(_mm512_permutexvar_epi8(c.gather_tags, tag));
  const auto follow =
      static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_shuffle_epi8(c.follows, tags)));
  return follow + (follow & c.head_all) + c.head_low;
}

// Puts the tags in their positions.
RINGSIDE_INLINE void assemble(const Constants& c, Vector& x, unsigned changed) {
  // Records with any changed argument: the sum carries into the position of the next head.
  const unsigned differing = ((changed + c.argument_lanes) >> c.lanes) & c.head_lanes;
  x.rest = _mm512_ternarylogic_epi64(
      x.rest, _mm512_permutexvar_epi8(c.low_tags, x.tag),
      _mm512_permutexvar_epi8(c.high_tags, _mm512_slli_epi64(x.tag, 4)), 0xFE);
  x.rest = _mm512_mask_or_epi64(x.rest, static_cast<__mmask8>(c.head_lanes & ~differing), x.rest,
                                c.same_values);
  x.keep = bytes_that_follow(c, x.tag) + _pdep_u64(differing, 0x0101010101010101) * c.tag_bytes;
}

// For records without changed arguments.
RINGSIDE_INLINE void assemble_heads(const Constants& c, Vector& x) {
  const __m512i zeros = _mm512_srli_epi64(_mm512_lzcnt_epi64(_mm512_or_si512(x.value, c.floor)), 3);
  x.tag = _mm512_maskz_add_epi64(c.heads, _mm512_xor_si512(zeros, c.flip), c.base);
  x.rest = _mm512_ternarylogic_epi64(x.value, x.tag, c.same_values, 0xFE);
  x.keep = bytes_that_follow(c, x.tag);
}

template <bool kHasArguments, bool kHasFloats>
RINGSIDE_WIDE void fixed_run(const RunPlan& plan, std::uint64_t* numbers, RecordRun& run) {
  const Constants c = constants_of(plan);
  const std::size_t record_bytes = plan.record_bytes;
  const std::byte* p = run.p;
  std::byte* o = run.o;
  const std::byte* last_start = run.input_end - kRunBytes;
  const std::byte* const output_limit = run.output_limit;
  std::uint64_t head = shm::make_head(run.previous, run.id);
  std::uint64_t time = run.previous;
  __m512i last = lanes_before(plan, run);
  std::size_t count = plan.records;
  std::size_t vector_bytes = count * record_bytes;
  std::uint64_t whole = _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(8 * count * c.lanes));
  while (p <= last_start && o <= output_limit) {
    Vector x = vector_at<kHasArguments>(c, p, last);
    last = x.lanes;
    if (x.odd != 0) [[unlikely]] {
      count = static_cast<unsigned>(__builtin_ctz(x.odd)) / c.lanes;
      if (count == 0) break;
      vector_bytes = count * record_bytes;
      whole = _bzhi_u64(whole, static_cast<unsigned>(8 * count * c.lanes));
      last_start = p;  // for the last time
    }
    const unsigned changed = kHasArguments ? x.differs & c.argument_lanes : 0;
    if (changed != 0) {
      code<kHasFloats>(c, x);
      if constexpr (kHasFloats) {
        const unsigned known = known_doubles(plan, p, count * plan.doubles_each, changed, numbers);
        if (known != 0) code_known(x, known);
      }
      assemble(c, x, changed);
    } else {
      assemble_heads(c, x);
    }
    x.keep &= whole;
    _mm512_storeu_si512(o, _mm512_maskz_compress_epi8(x.keep, x.rest));
    o += _mm_popcnt_u64(x.keep);
    p += vector_bytes;
    const auto latest = load<std::uint64_t>(p - record_bytes);
    time += (latest - head) >> shm::kHeadIdBits;
    head = latest;
  }
  run.records = static_cast<std::uint32_t>(static_cast<std::size_t>(p - run.p) / record_bytes);
  run.arguments = p - (record_bytes - shm::kHeadBytes);
  run.p = p;
  run.o = o;
  run.previous = time;
}

RINGSIDE_WIDE void fixed(const RunPlan& plan, std::uint64_t* numbers, RecordRun& run) {
  if (!plan.shared) return long_run_avx512(plan, numbers, run);
  if (plan.arguments == 0) return fixed_run<false, false>(plan, numbers, run);
  if (plan.floats == 0) return fixed_run<true, false>(plan, numbers, run);
  return fixed_run<true, true>(plan, numbers, run);
}

bool can_run() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512vbmi") != 0 &&
         __builtin_cpu_supports("avx512vbmi2") != 0 && __builtin_cpu_supports("bmi2") != 0;
}

}  // namespace

const RunKernels* run_kernels() {
  static constexpr RunKernels kKernels{fixed, text_run_avx512};
  static const bool kCanRun = can_run();
  return kCanRun ? &kKernels : nullptr;
}

}  // namespace ringside::trace

#else

namespace ringside::trace {
const RunKernels* run_kernels() {
  return nullptr;
}
}  // namespace ringside::trace

#endif
