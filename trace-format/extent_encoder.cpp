#include "trace-format/extent_encoder.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <limits>

#include "shm-layout/record_head.hpp"
#include "trace-format/argument_length.hpp"
#include "trace-format/block_frame.hpp"
#include "trace-format/format_constants.hpp"
#include "trace-format/little_endian.hpp"
#include "trace-format/value_codec.hpp"

namespace ringside::trace {
namespace {

// How a record's arguments are coded: none, integers, numbers, one text, anything; everything
// that is not kGeneral runs inside the loop.
enum class Path : std::uint8_t { kStatic, kIntegers, kFixed, kText, kMixed, kGeneral };

// What the encoder knows about one site, in half a cache line. Its members beyond `plan` count
// only if `epoch` is the present extent's: thus a new extent starts by counting up one number.
struct SiteState {
  const std::byte* previous = nullptr;  // arguments of its latest record, in the input
  const SitePlan* plan = nullptr;
  std::uint32_t epoch = 0;
  std::uint32_t successor = 0;       // id of the site whose record followed the latest one
  std::uint32_t argument_bytes = 0;  // of the latest record
  std::uint16_t index = 0;           // in the extent's site table
  std::uint8_t index_bytes = 0;
  Path path = Path::kGeneral;
};
static_assert(sizeof(SiteState) == 32);

constexpr std::size_t kWideBytes = 8;   // what a load or store may reach past a value
constexpr std::size_t kCopyBytes = 16;  // what the copy of a text may reach past it
constexpr std::size_t kMaxFixedBytes = std::size_t{shm::kMaxFields} * 16;

// A record's output without the bytes of its texts, at most: extension 59, tag 1, time 8, index 2,
// argument tags 32, fixed values 1024, a store that is wider than its value 16, and 4 for a new
// entry of the site table.
constexpr std::size_t kRecordRoom = 1216;
static_assert(59 + 1 + 8 + 2 + 32 + kMaxFixedBytes + kCopyBytes + 4 <= kRecordRoom);

// Previous arguments of a site without any: every number 0, every text empty.
alignas(64) constexpr std::array<std::byte, kMaxFixedBytes + kWideBytes> kZeroArguments{};

struct Text {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
};

struct Extended {
  std::uint32_t flags = 0;
  const std::byte* parts = nullptr;
};

bool equal_arguments(const std::byte* a, const std::byte* b, std::size_t bytes) {
  // Reads up to kWideBytes further than `bytes`.
  const std::size_t last = std::max<std::size_t>(bytes, 8) - 8;
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * std::min<std::size_t>(bytes, 8));
  std::uint64_t difference = (load<std::uint64_t>(a + last) ^ load<std::uint64_t>(b + last)) & mask;
  for (std::size_t i = 0; i < last; i += 8) {
    difference |= load<std::uint64_t>(a + i) ^ load<std::uint64_t>(b + i);
  }
  return difference == 0;
}

// For texts, most of which differ in the beginning. Reads no byte too many.
inline bool equal_bytes(const std::byte* a, const std::byte* b, std::size_t bytes) {
  constexpr std::size_t kShort = 64;
  if (bytes < 8 || bytes > kShort) return std::memcmp(a, b, bytes) == 0;
  if (load<std::uint64_t>(a) != load<std::uint64_t>(b)) return false;
  return equal_arguments(a, b, bytes);
}

std::uint64_t wide_integer(const FieldPlan& f, const std::byte* p) {
  return ((load<std::uint64_t>(p) & f.value_mask) ^ f.sign_bit) - f.sign_bit;
}

std::uint64_t exact_integer(const FieldPlan& f, const std::byte* p) {
  std::uint64_t raw = 0;
  switch (f.bytes) {
    case 1:
      raw = load<std::uint8_t>(p);
      break;
    case 2:
      raw = load<std::uint16_t>(p);
      break;
    case 4:
      raw = load<std::uint32_t>(p);
      break;
    default:
      raw = load<std::uint64_t>(p);
      break;
  }
  return (raw ^ f.sign_bit) - f.sign_bit;
}

// Arguments that are integers of up to 64 bits only. Reads and writes up to kWideBytes too far.
std::byte* put_integers(const SitePlan& plan, const std::byte* a, const std::byte* b,
                        std::byte* o) {
  const FieldPlan* f = plan.fields.data();
  const FieldPlan* const last = f + plan.fields.size();
  std::byte* tags = o;
  o += plan.tag_bytes;
  for (; last - f >= 2; f += 2) {
    const unsigned low =
        put_integer(wide_integer(f[0], a + f[0].offset), wide_integer(f[0], b + f[0].offset), o);
    const unsigned high =
        put_integer(wide_integer(f[1], a + f[1].offset), wide_integer(f[1], b + f[1].offset), o);
    *tags++ = static_cast<std::byte>(low | high << 4);
  }
  if (f != last) {
    *tags = static_cast<std::byte>(
        put_integer(wide_integer(*f, a + f->offset), wide_integer(*f, b + f->offset), o));
  }
  return o;
}

// Arguments of any fixed sizes. Reads and writes up to kWideBytes too far.
std::byte* put_numbers(const SitePlan& plan, const std::byte* a, const std::byte* b,
                       std::uint64_t* numbers, std::byte* o) {
  std::byte* tags = o;
  o += plan.tag_bytes;
  unsigned shift = 0;
  unsigned pair = 0;
  for (const FieldPlan& f : plan.fields) {
    const std::byte* const value = a + f.offset;
    const std::byte* const before = b + f.offset;
    unsigned tag = 0;
    switch (f.coding) {
      case Coding::kInteger:
        tag = put_integer(wide_integer(f, value), wide_integer(f, before), o);
        break;
      case Coding::kFloat64:
        tag = put_float64(load<std::uint64_t>(value), load<std::uint64_t>(before), numbers, o);
        break;
      case Coding::kFloat32:
        tag = put_float32(load<std::uint32_t>(value), load<std::uint32_t>(before), o);
        break;
      case Coding::kInteger128:
        tag = put_integer128(value, before, o);
        break;
      default:
        tag = put_float80(value, before, o);
        break;
    }
    // The odd fields complete the byte that the even ones began.
    pair |= tag << shift;
    *tags = static_cast<std::byte>(pair);
    tags += shift >> 2;
    pair = shift == 0 ? pair : 0;
    shift ^= 4;
  }
  return o;
}

}  // namespace

struct ExtentEncoder::Impl {
  explicit Impl(const SiteTable& table) : sites(table) {}

  // Parts of one call that the loop keeps in registers and hands over when something unusual
  // comes.
  struct Run {
    const std::byte* p = nullptr;
    std::byte* o = nullptr;
    std::uint64_t reference = 0;  // what 44 bits are widened by
    std::uint64_t previous = 0;   // time of the record before
    SiteState* before = nullptr;  // site of the record before
    std::uint32_t records = 0;
  };
  enum class Next : std::uint8_t { kGoOn, kStop };

  void start(std::span<const std::byte> bytes, const StreamCursor& cursor,
             std::uint64_t consumer_tsc, std::span<std::byte> out);
  void loop();
  Next rare(std::size_t left, std::uint32_t id, std::uint64_t head);
  static std::size_t variable_length(Path path, const SiteState& state, const std::byte* record,
                                     std::size_t left, std::ptrdiff_t output_left);
  Next control(std::uint32_t code, std::uint64_t head);
  Next drop(std::uint64_t head);
  Next extended(std::uint64_t head);
  Next plain(std::uint64_t head);
  Next general(std::uint64_t head, std::uint32_t id, const std::byte* arguments, std::size_t bytes,
               const std::byte* next, const Extended& extension);
  Next admit(std::uint32_t id, std::uint64_t time);
  Next stop(EncodeStop why) {
    result.stop = why;
    return Next::kStop;
  }
  Next corrupt(const char* why) {
    result.corrupt_offset = static_cast<std::uint32_t>(run.p - begin);
    result.corrupt_reason = why;
    return stop(EncodeStop::kCorrupt);
  }
  std::uint64_t time_of(std::uint64_t head, std::uint8_t site_flags) const;
  void went_back(std::uint64_t time, std::uint64_t before);
  std::byte* put_arguments(const SitePlan& plan, const std::byte* a, const std::byte* b,
                           std::byte* o);
  unsigned put_text(const std::byte* text, std::size_t bytes, const std::byte* previous,
                    std::size_t previous_bytes, std::byte*& o);
  void finish(StreamCursor& cursor, std::uint64_t watermark_tsc, std::span<std::byte> out);
  std::size_t need() const { return kRecordRoom + std::size_t{4} * site_count; }
  // Up to where a record may begin; the front of the output if nothing fits.
  const std::byte* limit() const {
    const auto whole = static_cast<std::size_t>(out_end - out_begin);
    return whole < need() ? out_begin : out_end - need();
  }
  std::size_t room() const { return static_cast<std::size_t>(out_end - run.o); }

  const SiteTable& sites;
  std::vector<SiteState> states;        // by site id
  std::vector<std::uint32_t> site_ids;  // by index in the extent
  std::uint32_t site_count = 0;
  std::uint32_t epoch = 0;

  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
  std::byte* out_begin = nullptr;
  std::byte* out_end = nullptr;
  std::uint64_t consumer_tsc = 0;
  Run run;
  EncodeResult result;
  std::uint64_t first_sequence = 0;
  std::uint64_t base = 0;
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
  std::uint32_t drop_cause = 0;
  bool unordered = false;
  bool numbers_clear = false;
  bool texts_clear = false;
  std::array<std::uint64_t, kHistorySlots> numbers{};
  std::array<Text, kHistorySlots> texts{};
  std::array<std::byte, kMaxFixedBytes + kWideBytes> last_arguments{};
};

ExtentEncoder::ExtentEncoder(const SiteTable& sites) : impl_(std::make_unique<Impl>(sites)) {}
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
  first_sequence = cursor.next_sequence;
  base = lowest = highest = 0;
  drop_cause = 0;
  unordered = numbers_clear = texts_clear = false;
}

std::uint64_t ExtentEncoder::Impl::time_of(std::uint64_t head, std::uint8_t site_flags) const {
  if ((site_flags & shm::kSiteConsumerClock) != 0) return std::max(consumer_tsc, run.reference);
  return shm::widen_tsc(shm::head_tsc(head), run.reference);
}

void ExtentEncoder::Impl::went_back(std::uint64_t time, std::uint64_t before) {
  unordered = true;
  lowest = std::min(lowest, time);
  highest = std::max(highest, before);
}

// The site's first record in this extent.
ExtentEncoder::Impl::Next ExtentEncoder::Impl::admit(std::uint32_t id, std::uint64_t time) {
  if (site_count == kMaxExtentSites) return stop(EncodeStop::kSiteLimit);
  const Site& site = *sites.find(id);
  SiteState& state = states[id];
  state.previous = kZeroArguments.data();
  state.plan = &site.plan;
  state.epoch = epoch;
  state.successor = id;
  state.argument_bytes = site.plan.minimal_bytes;
  state.index = static_cast<std::uint16_t>(site_count);
  state.index_bytes = site_count < 256 ? 1 : 2;
  const bool by_consumer = (site.flags & shm::kSiteConsumerClock) != 0;
  const bool one_text = site.plan.fields.size() == 1 && site.plan.fields[0].coding == Coding::kText;
  state.path = by_consumer                ? Path::kGeneral
               : one_text                 ? Path::kText
               : site.plan.variable       ? Path::kMixed
               : site.plan.fields.empty() ? Path::kStatic
               : site.plan.integers_only  ? Path::kIntegers
                                          : Path::kFixed;
  if (!numbers_clear && !site.plan.integers_only) {
    numbers.fill(0);
    numbers_clear = true;
  }
  if (!texts_clear && site.plan.variable) {
    texts.fill({});
    texts_clear = true;
  }
  site_ids[site_count++] = id;
  if (run.records == 0) {
    base = lowest = highest = run.previous = time;
    run.before = &state;
  }
  return Next::kGoOn;
}

// Length of the arguments of a plain record whose site has variable ones; too long for any input
// if the record is not whole, not sound, or too large for what is left of the output.
std::size_t ExtentEncoder::Impl::variable_length(Path path, const SiteState& state,
                                                 const std::byte* record, std::size_t left,
                                                 std::ptrdiff_t output_left) {
  constexpr std::size_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::size_t bytes = kNone;
  if (path == Path::kText) {
    if (left >= shm::kHeadBytes + 4) {
      bytes = 4 + std::size_t{load<std::uint32_t>(record + shm::kHeadBytes)};
    }
  } else if (path == Path::kMixed) {
    const ArgumentLength length =
        argument_length(*state.plan, record + shm::kHeadBytes, left - shm::kHeadBytes);
    if (length.state == LengthState::kWhole) bytes = length.bytes;
  }
  const bool fits =
      bytes <= shm::kMaxRecordBytes && static_cast<std::ptrdiff_t>(bytes) <= output_left;
  return fits ? bytes : kNone;
}

// The inner loop: plain records of sites that this extent has met. Everything else, and whatever
// is near an end, leaves it for plain() or control() and comes back.
void ExtentEncoder::Impl::loop() {
  const auto fast_limit =
      std::min(static_cast<std::uint32_t>(states.size()), shm::kFirstControlCode);
  SiteState* const all = states.data();
  const std::uint32_t now = epoch;
  const std::byte* const input_end = end;
  // What `run` holds between calls of the others, in variables of their own: as members of one
  // struct they would travel in pairs through vector registers, at several cycles a record.
  const std::byte* p = run.p;
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
    if (path >= Path::kText) bytes = variable_length(path, all[id], p, left, output_limit - o);
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
    // The distance to the reference in the upper 44 bits of the word, its sign on top.
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
    if (path != Path::kStatic) {
      const std::byte* const b = s->previous;
      s->previous = a;
      if (path < Path::kText) {
        if (equal_arguments(a, b, bytes)) {
          place |= kPlaceSameValues;
        } else if (path == Path::kIntegers) {
          o = put_integers(*s->plan, a, b, o);
        } else {
          o = put_numbers(*s->plan, a, b, numbers.data(), o);
        }
      } else {
        const std::size_t before_bytes = s->argument_bytes;
        s->argument_bytes = static_cast<std::uint32_t>(bytes);
        if (bytes == before_bytes && equal_bytes(a, b, bytes)) {
          place |= kPlaceSameValues;
        } else if (path == Path::kText) {
          std::byte* const text_tag = o++;
          *text_tag =
              static_cast<std::byte>(put_text(a + 4, bytes - 4, b + 4, before_bytes - 4, o));
        } else {
          o = put_arguments(*s->plan, a, b, o);
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

ExtentEncoder::Impl::Next ExtentEncoder::Impl::control(std::uint32_t code, std::uint64_t head) {
  const auto left = static_cast<std::size_t>(end - run.p);
  switch (code) {
    case shm::kCodePad: {
      const std::uint64_t bytes = shm::head_tsc(head);
      if (bytes < shm::kHeadBytes) return corrupt("a pad shorter than its own head");
      if (bytes > left) return stop(EncodeStop::kIncomplete);
      run.p += bytes;
      return Next::kGoOn;
    }
    case shm::kCodeClock:
      if (left < shm::kClockRecordBytes) return stop(EncodeStop::kIncomplete);
      run.reference = load<std::uint64_t>(run.p + shm::kHeadBytes);
      run.p += shm::kClockRecordBytes;
      return Next::kGoOn;
    case shm::kCodeDrop:
      return drop(head);
    case shm::kCodeExtended:
      return extended(head);
    default:
      return corrupt("a control record of unknown code");
  }
}

ExtentEncoder::Impl::Next ExtentEncoder::Impl::drop(std::uint64_t head) {
  if (static_cast<std::size_t>(end - run.p) < shm::kDropRecordBytes) {
    return stop(EncodeStop::kIncomplete);
  }
  if (run.records != 0) return stop(EncodeStop::kBeforeDrop);
  const auto count = load<std::uint64_t>(run.p + shm::kHeadBytes);
  const auto cause = load<std::uint32_t>(run.p + shm::kHeadBytes + 8);
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() >> 1;
  if (count > kMost || first_sequence > kMost - count) {
    return corrupt("a drop record with an impossible count");
  }
  constexpr auto kSeveral = static_cast<std::uint32_t>(shm::DropCause::kMixed);
  const std::uint32_t known = cause == 0 || cause > kSeveral ? kSeveral : cause;
  drop_cause = drop_cause == 0 || drop_cause == known ? known : kSeveral;
  first_sequence += count;
  result.dropped += count;
  base = lowest = highest = shm::widen_tsc(shm::head_tsc(head), run.reference);
  run.p += shm::kDropRecordBytes;
  return Next::kGoOn;
}

ExtentEncoder::Impl::Next ExtentEncoder::Impl::extended(std::uint64_t head) {
  const std::byte* const p = run.p;
  const auto left = static_cast<std::size_t>(end - p);
  if (left < shm::kExtendedHeadBytes) return stop(EncodeStop::kIncomplete);
  const auto id = load<std::uint32_t>(p + 8);
  const auto flags = load<std::uint32_t>(p + 12);
  const auto bytes = load<std::uint32_t>(p + 16);
  if ((flags & ~shm::kExtKnownFlags) != 0) return corrupt("an extended record with unknown flags");
  const std::uint32_t fixed = shm::kExtendedHeadBytes + shm::extended_parts_bytes(flags);
  if (bytes < fixed) return corrupt("an extended record shorter than its parts");
  if (bytes > shm::kMaxRecordBytes) return corrupt("the record is longer than a record may be");
  const Site* const site = sites.find(id);
  if (site == nullptr) return corrupt("an extended record of a site that the dictionary lacks");
  if (left < bytes) return stop(EncodeStop::kIncomplete);
  const ArgumentLength length = argument_length(site->plan, p + fixed, bytes - fixed);
  if (length.state == LengthState::kCorrupt) return corrupt(length.reason);
  if (length.state == LengthState::kIncomplete || length.bytes != bytes - fixed) {
    return corrupt("the arguments of an extended record do not fill it exactly");
  }
  return general(head, id, p + fixed, length.bytes, p + bytes,
                 {flags, p + shm::kExtendedHeadBytes});
}

// A plain record for which the loop is too narrow: the first of its site in this extent, one that
// the consumer stamps, or the last one before an end.
ExtentEncoder::Impl::Next ExtentEncoder::Impl::plain(std::uint64_t head) {
  const std::uint32_t id = shm::head_id(head);
  const Site* const site = sites.find(id);
  if (site == nullptr) {
    return corrupt(id == 0 ? "memory that no record was written to (site id 0)"
                           : "a record of a site that the dictionary lacks");
  }
  const std::byte* const arguments = run.p + shm::kHeadBytes;
  const ArgumentLength length =
      argument_length(site->plan, arguments, static_cast<std::size_t>(end - arguments));
  if (length.state == LengthState::kIncomplete) return stop(EncodeStop::kIncomplete);
  if (length.state == LengthState::kCorrupt) return corrupt(length.reason);
  return general(head, id, arguments, length.bytes, arguments + length.bytes, {});
}

ExtentEncoder::Impl::Next ExtentEncoder::Impl::general(std::uint64_t head, std::uint32_t id,
                                                       const std::byte* arguments,
                                                       std::size_t bytes, const std::byte* next,
                                                       const Extended& extension) {
  if (room() < need() + bytes) return stop(EncodeStop::kOutputFull);
  const std::uint64_t time = time_of(head, sites.find(id)->flags);
  SiteState& state = states[id];
  if (state.epoch != epoch && admit(id, time) == Next::kStop) return Next::kStop;
  const SitePlan& plan = *state.plan;

  std::byte*& o = run.o;
  if (extension.flags != 0) {
    *o++ = static_cast<std::byte>(kPlaceExtension << 4);
    *o++ = static_cast<std::byte>(extension.flags);
    const std::byte* part = extension.parts;
    if ((extension.flags & shm::kExtSubstream) != 0) {
      put_leb128(load<std::uint64_t>(part), o);
      part += 8;
    }
    for (const std::uint32_t id_flag : {shm::kExtActivity, shm::kExtRelatedActivity}) {
      if ((extension.flags & id_flag) == 0) continue;
      std::memcpy(o, part, 16);
      o += 16;
      part += 16;
    }
    if ((extension.flags & shm::kExtStack) != 0) {
      put_leb128(load<std::uint32_t>(part), o);
      part += 4;
    }
    if ((extension.flags & shm::kExtDuration) != 0) put_leb128(load<std::uint64_t>(part), o);
  }

  const std::uint64_t delta = time - run.previous;
  unsigned time_bytes = delta == 0 ? 0 : significant_bytes(delta);
  unsigned code = time_bytes;
  if (static_cast<std::int64_t>(delta) < 0) {
    went_back(time, run.previous);
    code = kTimeBack;
    time_bytes = 8;
  }
  run.reference = run.previous = time;
  const unsigned index_bytes = run.before->successor == id ? 0U : state.index_bytes;
  run.before->successor = id;
  run.before = &state;
  // Without fields there are no values that could be the same; either code is right.
  const bool same = !plan.fields.empty() && state.argument_bytes == bytes &&
                    equal_bytes(arguments, state.previous, bytes);
  const unsigned place = index_bytes * 2 + (same ? kPlaceSameValues : 0);
  *o++ = static_cast<std::byte>(place << 4 | code);
  store(o, delta);
  o += time_bytes;
  store(o, state.index);
  o += index_bytes;
  if (!same) o = put_arguments(plan, arguments, state.previous, o);

  if (!plan.variable && static_cast<std::size_t>(end - arguments) < bytes + kWideBytes) {
    // The loop will compare with wide loads, which must not reach behind the input.
    std::memcpy(last_arguments.data(), arguments, bytes);
    arguments = last_arguments.data();
  }
  state.previous = arguments;
  state.argument_bytes = static_cast<std::uint32_t>(bytes);
  run.p = next;
  ++run.records;
  return Next::kGoOn;
}

// `a` are the arguments, `b` those of the site's record before; both were checked.
std::byte* ExtentEncoder::Impl::put_arguments(const SitePlan& plan, const std::byte* a,
                                              const std::byte* b, std::byte* o) {
  std::byte* tags = o;
  o += plan.tag_bytes;
  unsigned shift = 0;
  unsigned pair = 0;
  for (const FieldPlan& f : plan.fields) {
    unsigned tag = 0;
    std::size_t a_bytes = f.bytes;
    std::size_t b_bytes = f.bytes;
    switch (f.coding) {
      case Coding::kInteger:
        tag = put_integer(exact_integer(f, a), exact_integer(f, b), o);
        break;
      case Coding::kFloat32:
        tag = put_float32(load<std::uint32_t>(a), load<std::uint32_t>(b), o);
        break;
      case Coding::kFloat64:
        tag = put_float64(load<std::uint64_t>(a), load<std::uint64_t>(b), numbers.data(), o);
        break;
      case Coding::kInteger128:
        tag = put_integer128(a, b, o);
        break;
      case Coding::kFloat80:
        tag = put_float80(a, b, o);
        break;
      case Coding::kText:
      case Coding::kElements:
      case Coding::kTextElements: {
        const auto measure = [&f](const std::byte* p) -> std::size_t {
          const auto count = load<std::uint32_t>(p);
          if (f.coding == Coding::kText) return count;
          if (f.coding == Coding::kElements) return std::size_t{count} * f.bytes;
          std::size_t at = 0;
          for (std::uint32_t i = 0; i < count; ++i) at += 4 + load<std::uint32_t>(p + 4 + at);
          return at;
        };
        a_bytes = measure(a);
        b_bytes = measure(b);
        a += 4;
        b += 4;
        tag = put_text(a, a_bytes, b, b_bytes, o);
        break;
      }
    }
    a += a_bytes;
    b += b_bytes;
    pair |= tag << shift;
    if (shift == 4) {
      *tags++ = static_cast<std::byte>(pair);
      pair = 0;
    }
    shift ^= 4;
  }
  if (shift == 4) *tags = static_cast<std::byte>(pair);
  return o;
}

unsigned ExtentEncoder::Impl::put_text(const std::byte* text, std::size_t bytes,
                                       const std::byte* previous, std::size_t previous_bytes,
                                       std::byte*& o) {
  if (bytes == previous_bytes && equal_bytes(text, previous, bytes)) return kTagSame;
  if (bytes == 0) return kTagTextEmpty;
  const std::size_t slot = text_slot(text, bytes);
  Text& known = texts[slot];
  if (known.bytes == bytes && equal_bytes(known.data, text, bytes)) {
    *o++ = static_cast<std::byte>(slot);
    return kTagTextSlot;
  }
  known = {text, bytes};
  unsigned tag = kTagTextSameLength;
  if (bytes != previous_bytes) {
    tag = bytes < 0x100 ? kTagText1 : bytes < 0x10000 ? kTagText2 : kTagText4;
    store(o, static_cast<std::uint32_t>(bytes));
    o += tag == kTagText4 ? 4 : tag;
  }
  constexpr std::size_t kShort = 128;
  if (bytes <= kShort && static_cast<std::size_t>(end - text) >= bytes + kCopyBytes) {
    for (std::size_t i = 0; i < bytes; i += kCopyBytes) std::memcpy(o + i, text + i, kCopyBytes);
  } else {
    std::memcpy(o, text, bytes);
  }
  o += bytes;
  return tag;
}

void ExtentEncoder::Impl::finish(StreamCursor& cursor, std::uint64_t watermark_tsc,
                                 std::span<std::byte> out) {
  result.consumed_bytes = static_cast<std::size_t>(run.p - begin);
  result.records = run.records;
  cursor.booked_drops += result.dropped;
  cursor.next_sequence = first_sequence + run.records;
  cursor.last_tsc = run.reference;
  if (run.records == 0 && result.dropped == 0) return;

  if (run.records != 0) highest = std::max(highest, run.previous);
  const std::uint32_t flags =
      (unordered ? kExtentUnordered : 0) | (lowest < watermark_tsc ? kExtentLate : 0);
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
