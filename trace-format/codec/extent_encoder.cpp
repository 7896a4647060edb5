#include "trace-format/codec/extent_encoder.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "shm-layout/loss_cause.hpp"
#include "shm-layout/record_head.hpp"
#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/argument_encoder.hpp"
#include "trace-format/codec/argument_length.hpp"
#include "trace-format/codec/extent_encoder_state.hpp"
#include "trace-format/codec/value_codec.hpp"

namespace ringside::trace {
namespace {

// After a kernel found nothing to do, the next records are not offered to it.
constexpr std::size_t kRunBackoffBytes = 1024;

}  // namespace

ExtentEncoder::ExtentEncoder(const SiteTable& sites, EncoderKernels kernels)
    : impl_(std::make_unique<Impl>(sites, kernels)) {}
ExtentEncoder::~ExtentEncoder() = default;

void ExtentEncoder::Impl::start(std::span<const std::byte> bytes, const StreamCursor& cursor,
                                std::uint64_t now_tsc, std::span<std::byte> out) {
  if (states.size() < sites.id_limit()) {
    states.resize(sites.id_limit());
    site_ids.resize(std::min<std::size_t>(sites.id_limit(), kMaxExtentSites));
  }
  if (++epoch == 0) {
    for (SiteState& state : states) state.epoch = 0;
    epoch = 1;
  }
  constexpr std::size_t kMaxInput = std::numeric_limits<std::uint32_t>::max();
  begin = bytes.data();
  end = begin + std::min(bytes.size(), kMaxInput);
  out_begin = out.data();
  out_end = out.data() + std::min(out.size(), kBlockHeaderBytes + kMaxPayloadBytes);
  consumer_tsc = now_tsc;
  run = {};
  run.p = begin;
  run.o = out.data() + kBlockHeaderBytes + kExtentHeaderBytes;
  run.reference = cursor.last_tsc;
  run.previous = cursor.last_tsc;
  result = {};
  site_count = 0;
  widest_record = kRecordRoom;
  first_sequence = cursor.next_sequence;
  base = lowest = highest = 0;
  drop_cause = 0;
  processor = cursor.processor;
  unordered = false;
  copies = 0;
  context_changed = false;
  context_site = cursor.context.site_id;
  context_bytes = std::min(cursor.context.arguments.size(), shm::kMaxContextBytes);
  if (context_bytes != 0) {
    std::memcpy(context.data(), cursor.context.arguments.data(), context_bytes);
  }
  arguments.start(end);
}

void ExtentEncoder::Impl::went_back(std::uint64_t time, std::uint64_t before) {
  unordered = true;
  lowest = std::min(lowest, time);
  highest = std::max(highest, before);
}

// Length of the arguments of a plain record whose site has variable ones. Longer than any input if
// the record is incomplete, invalid, or too large for the rest of the output.
std::size_t ExtentEncoder::Impl::variable_length(Path path, const SiteState* states,
                                                 std::uint32_t id, const std::byte* record,
                                                 std::size_t left, std::ptrdiff_t output_left) {
  constexpr std::size_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::size_t bytes = kNone;
  if (path == Path::kText) {
    if (left >= shm::kHeadBytes + 4) {
      bytes = 4 + std::size_t{load<std::uint32_t>(record + shm::kHeadBytes)};
    }
  } else if (path == Path::kMixed) {
    const ArgumentLength length =
        argument_length(*states[id].plan, record + shm::kHeadBytes, left - shm::kHeadBytes);
    if (length.state == LengthState::kWhole) bytes = length.bytes;
  }
  const bool fits =
      bytes <= shm::kMaxRecordBytes && static_cast<std::ptrdiff_t>(bytes) <= output_left;
  return fits ? bytes : kNone;
}

// The plan of a site's records for the wide kernels; it has no records if they cannot code the
// site.
const RunPlan& ExtentEncoder::Impl::run_plan(std::uint32_t id) {
  if (run_plans.size() <= id) run_plans.resize(states.size());
  std::unique_ptr<RunPlan>& plan = run_plans[id];
  if (!plan) {
    plan = std::make_unique<RunPlan>();
    if (!make_run_plan(*states[id].plan, *plan)) plan->records = 0;
  }
  return *plan;
}

// A site's record follows one of the same site: codes the run at run.p, if a kernel can code it.
ExtentEncoder::Impl::RunResult ExtentEncoder::Impl::run_of_one_site(std::uint32_t id,
                                                                    const std::byte* output_limit) {
  SiteState& state = states[id];
  RecordRun records{run.p, end, run.o, output_limit, state.previous, run.previous, id, 0};
  if (state.path == Path::kText) {
    kernels->text(arguments.texts(), records);
    if (records.records == 0) return RunResult::kNotSoon;  // they may all be too long
    state.argument_bytes = 4 + load<std::uint32_t>(records.arguments);
  } else {
    const RunPlan& plan = run_plan(id);
    if (plan.records == 0) return RunResult::kNotSoon;
    // Setting up a kernel does not pay off for a single record.
    if (shm::head_id(load<std::uint64_t>(run.p + plan.record_bytes)) != id) return RunResult::kNone;
    kernels->fixed(plan, arguments.numbers(), records);
    if (records.records == 0) return RunResult::kNone;
  }
  state.previous = records.arguments;
  run.p = records.p;
  run.o = records.o;
  run.reference = run.previous = records.previous;
  run.records += records.records;
  return RunResult::kCoded;
}

// The inner loop: plain records of sites that this extent already has. Everything else, and
// everything near an end, is left to plain() or control(); then the loop continues.
void ExtentEncoder::Impl::loop() {
  const auto fast_limit =
      std::min(static_cast<std::uint32_t>(states.size()), shm::kFirstControlCode);
  SiteState* const all = states.data();
  const std::uint32_t now = epoch;
  const std::byte* const input_end = end;
  // Local copies of the members of `run`: as members of one struct they would travel in pairs
  // through vector registers, at several cycles a record.
  const std::byte* p = run.p;
  // Runs may be tried from here; without kernels, nowhere.
  const std::byte* next_run = kernels != nullptr ? p : input_end;
  std::byte* o = run.o;
  std::uint64_t reference = run.reference;
  std::uint64_t previous = run.previous;
  SiteState* before = run.before;
  std::uint32_t records = run.records;
  const std::byte* output_limit = limit();
  for (;;) {
    const auto left = static_cast<std::size_t>(input_end - p);
    const std::uint64_t head = left >= shm::kHeadBytes ? load<std::uint64_t>(p) : 0;
    const std::uint32_t id = shm::head_id(head);
    const bool is_known = id < fast_limit && all[id].epoch == now;
    const Path path = is_known ? all[id].path : Path::kGeneral;
    std::size_t bytes = is_known ? all[id].argument_bytes : 0;
    if (path >= Path::kText) bytes = variable_length(path, all, id, p, left, output_limit - o);
    if (path == Path::kGeneral || left < shm::kHeadBytes + kWideBytes + bytes || o > output_limit)
        [[unlikely]] {
      run = {p, o, reference, previous, before, records};
      if (rare(left, id, head) == Next::kStop) return;
      p = run.p;
      o = run.o;
      reference = run.reference;
      previous = run.previous;
      before = run.before;
      records = run.records;
      output_limit = limit();
      continue;
    }
    SiteState* const s = &all[id];
    if (p >= next_run && s == before && s->successor == id && path <= Path::kText &&
        left >= kRunBytes + 16 && reference == previous) [[unlikely]] {
      run = {p, o, reference, previous, before, records};
      const RunResult outcome = run_of_one_site(id, output_limit);
      if (outcome == RunResult::kCoded) {
        p = run.p;
        o = run.o;
        reference = run.reference;
        previous = run.previous;
        records = run.records;
        continue;
      }
      if (outcome == RunResult::kNotSoon) next_run = p + std::min(kRunBackoffBytes, left);
    }
    // The distance to the reference in the upper 44 bits of the word, with its sign on top.
    const auto distance =
        static_cast<std::int64_t>(head - (reference << shm::kHeadIdBits)) >> shm::kHeadIdBits;
    const std::uint64_t time = reference + static_cast<std::uint64_t>(distance);
    const std::uint64_t delta = time - previous;
    const unsigned time_bytes = delta == 0 ? 0 : significant_bytes(delta);
    unsigned code = time_bytes;
    if (static_cast<std::int64_t>(delta) < 0) [[unlikely]] {
      went_back(time, previous);
      code = kTimeBack;
    }
    reference = previous = time;

    std::byte* const tag = o;
    const unsigned index_bytes = before->successor == id ? 0U : s->index_bytes;
    before->successor = id;
    before = s;
    unsigned place = index_bytes * 2;
    store(o + 1, delta);
    o += 1 + time_bytes;
    store(o, s->index);
    o += index_bytes;

    const std::byte* const a = p + shm::kHeadBytes;
    p = a + bytes;
    ++records;
    if (path == Path::kStatic) {
      place |= kPlaceSameValues;  // no fields: all values are the same
    } else {
      const std::byte* const b = s->previous;
      s->previous = a;
      if (path < Path::kText) {
        if (equal_arguments(a, b, bytes)) {
          place |= kPlaceSameValues;
        } else if (path == Path::kIntegers) {
          o = put_integers(*s->plan, a, b, o);
        } else {
          o = arguments.put_numbers(*s->plan, a, b, o);
        }
      } else {
        const std::size_t before_bytes = s->argument_bytes;
        s->argument_bytes = static_cast<std::uint32_t>(bytes);
        if (bytes == before_bytes && equal_bytes(a, b, bytes)) {
          place |= kPlaceSameValues;
        } else if (path == Path::kText) {
          std::byte* const text_tag = o++;
          *text_tag = static_cast<std::byte>(
              arguments.put_text(a + 4, bytes - 4, b + 4, before_bytes - 4, o));
        } else {
          o = arguments.put_all(*s->plan, a, b, o);
        }
      }
    }
    *tag = static_cast<std::byte>(place << 4 | code);
  }
}

ExtentEncoder::Impl::Next ExtentEncoder::Impl::rare(std::size_t left, std::uint32_t id,
                                                    std::uint64_t head) {
  if (left < shm::kHeadBytes) {
    return stop(left == 0 ? EncodeStop::kInputEnd : EncodeStop::kIncomplete);
  }
  return id >= shm::kFirstControlCode ? control(id, head) : plain(head);
}

void ExtentEncoder::Impl::finish(StreamCursor& cursor, std::uint64_t watermark_tsc,
                                 std::span<std::byte> out) {
  result.consumed_bytes = static_cast<std::size_t>(run.p - begin);
  result.records = run.records - copies;
  cursor.booked_drops += result.dropped;
  if (drop_cause == static_cast<std::uint32_t>(shm::LossCause::kNoConsumer)) {
    cursor.booked_consumer_absent += result.dropped;
  }
  cursor.next_sequence = first_sequence + run.records;
  cursor.last_tsc = run.reference;
  cursor.processor = processor;
  if (context_changed) {
    cursor.context.site_id = context_site;
    cursor.context.arguments.assign(context.data(), context.data() + context_bytes);
  }
  if (run.records == 0 && result.dropped == 0) return;

  if (run.records != 0) highest = std::max(highest, run.previous);
  const std::uint32_t flags = (unordered ? kExtentUnordered : 0) |
                              (lowest < watermark_tsc ? kExtentLate : 0) |
                              (copies != 0 ? kExtentContext : 0) |
                              (run.records != 0 ? processor << kExtentProcessorShift : 0);
  std::byte* const block = out.data();
  std::byte* const h = block + kBlockHeaderBytes;
  std::byte* const records = h + kExtentHeaderBytes;
  store(h, cursor.stream_id);
  store(h + 8, first_sequence);
  store(h + 16, base);
  store(h + 24, lowest);
  store(h + 32, highest);
  store(h + 40, run.records);
  store(h + 44, flags);
  store(h + 48, result.dropped);
  store(h + 56, drop_cause);
  store(h + 60, static_cast<std::uint32_t>(run.o - records));
  if (site_count != 0) std::memcpy(run.o, site_ids.data(), 4 * std::size_t{site_count});
  const auto payload_bytes = static_cast<std::size_t>(run.o - h) + 4 * std::size_t{site_count};
  write_block_frame(block, BlockType::kExtent, payload_bytes);
  result.output_bytes = kBlockHeaderBytes + payload_bytes;
}

EncodeResult ExtentEncoder::encode(std::span<const std::byte> input, StreamCursor& cursor,
                                   std::uint64_t watermark_tsc, std::uint64_t consumer_tsc,
                                   std::span<std::byte> out) {
  if (out.size() < kBlockHeaderBytes + kExtentHeaderBytes) {
    EncodeResult result;
    result.stop = input.empty() ? EncodeStop::kInputEnd : EncodeStop::kOutputFull;
    return result;
  }
  Impl& impl = *impl_;
  impl.start(input, cursor, consumer_tsc, out);
  impl.loop();
  impl.finish(cursor, watermark_tsc, out);
  return impl.result;
}

}  // namespace ringside::trace
