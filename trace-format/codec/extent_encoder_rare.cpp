// Everything that the encoder's loop does not handle: control records, extended records, a site's
// first record in its extent, records near an end.

#include <algorithm>
#include <cstring>
#include <limits>

#include "shm-layout/loss_cause.hpp"
#include "shm-layout/record_head.hpp"
#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/argument_length.hpp"
#include "trace-format/codec/extent_encoder_state.hpp"
#include "trace-format/codec/extent_failure.hpp"
#include "trace-format/codec/value_codec.hpp"

namespace ringside::trace {

std::uint64_t ExtentEncoder::Impl::time_of(std::uint64_t head, std::uint8_t site_flags) const {
  if ((site_flags & shm::kSiteConsumerClock) != 0) return std::max(consumer_tsc, run.reference);
  return shm::widen_tsc(shm::head_tsc(head), run.reference);
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
  const bool is_context = site.kind == shm::SiteKind::kContext;
  state.path = by_consumer || is_context  ? Path::kGeneral
               : one_text                 ? Path::kText
               : site.plan.variable       ? Path::kMixed
               : site.plan.fields.empty() ? Path::kStatic
               : site.plan.integers_only  ? Path::kIntegers
                                          : Path::kFixed;
  arguments.prepare(site.plan);
  site_ids[site_count++] = id;
  if (run.records == 0) {
    base = lowest = highest = run.previous = time;
    run.before = &state;
  }
  return Next::kGoOn;
}

ExtentEncoder::Impl::Next ExtentEncoder::Impl::control(std::uint32_t code, std::uint64_t head) {
  const auto left = static_cast<std::size_t>(end - run.p);
  switch (code) {
    case shm::kCodePad: {
      const std::uint64_t bytes = shm::head_tsc(head);
      if (bytes < shm::kHeadBytes) return corrupt("a pad is shorter than its header");
      if (bytes > left) return stop(EncodeStop::kIncomplete);
      run.p += bytes;
      return Next::kGoOn;
    }
    case shm::kCodeClock: {
      if (left < shm::kClockRecordBytes) return stop(EncodeStop::kIncomplete);
      const auto tsc = load<std::uint64_t>(run.p + shm::kHeadBytes);
      const std::uint32_t runs_on = shm::clock_processor(head, tsc);
      if (runs_on != processor && run.records != 0) return stop(EncodeStop::kBeforeMove);
      processor = runs_on;
      run.reference = tsc;
      run.p += shm::kClockRecordBytes;
      return Next::kGoOn;
    }
    case shm::kCodeDrop:
      return drop(head);
    case shm::kCodeExtended:
      return extended(head);
    default:
      return corrupt("a control record has an unknown code");
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
    return corrupt("a drop record has an invalid count");
  }
  constexpr auto kSeveral = static_cast<std::uint32_t>(shm::LossCause::kSeveral);
  constexpr auto kQuarantined = static_cast<std::uint32_t>(shm::LossCause::kQuarantined);
  constexpr auto kOverwritten = static_cast<std::uint32_t>(shm::LossCause::kOverwritten);
  constexpr auto kAbandoned = static_cast<std::uint32_t>(shm::LossCause::kAbandoned);
  const bool is_known = (cause >= 1 && cause <= kSeveral) || cause == kQuarantined ||
                        cause == kOverwritten || cause == kAbandoned;
  const std::uint32_t known =
      is_known ? cause : static_cast<std::uint32_t>(shm::LossCause::kUnknown);
  if (result.dropped != 0 && drop_cause != known) return stop(EncodeStop::kBeforeDrop);
  drop_cause = known;
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
  if (!shm::are_valid_flags(flags)) return corrupt("an extended record has unknown flags");
  const std::uint32_t fixed = shm::kExtendedHeadBytes + shm::extended_parts_bytes(flags);
  if (bytes < fixed) return corrupt("an extended record is shorter than its parts");
  if (bytes > shm::kMaxRecordBytes) return corrupt("the record exceeds the maximum record size");
  const Site* const site = sites.find(id);
  if (site == nullptr)
    return corrupt("the site of an extended record is missing in the dictionary");
  if (left < bytes) return stop(EncodeStop::kIncomplete);
  const ArgumentLength length = argument_length(site->plan, p + fixed, bytes - fixed);
  if (length.state == LengthState::kCorrupt) return corrupt(length.reason);
  if (length.state == LengthState::kIncomplete || length.bytes != bytes - fixed) {
    return corrupt("the arguments of an extended record do not match its length");
  }
  return general(head, id, p + fixed, length.bytes, p + bytes,
                 {flags, p + shm::kExtendedHeadBytes});
}

// A plain record that the loop does not handle: the first of its site in this extent, one that the
// consumer stamps, or the last one before an end.
ExtentEncoder::Impl::Next ExtentEncoder::Impl::plain(std::uint64_t head) {
  const std::uint32_t id = shm::head_id(head);
  const Site* const site = sites.find(id);
  if (site == nullptr) {
    return corrupt(id == 0 ? "no record was written here (site id 0)"
                           : "the site of a record is missing in the dictionary");
  }
  const std::byte* const values = run.p + shm::kHeadBytes;
  const ArgumentLength length =
      argument_length(site->plan, values, static_cast<std::size_t>(end - values));
  if (length.state == LengthState::kIncomplete) return stop(EncodeStop::kIncomplete);
  if (length.state == LengthState::kCorrupt) return corrupt(length.reason);
  return general(head, id, values, length.bytes, values + length.bytes, {});
}

// Appends a record to the extent.
void ExtentEncoder::Impl::put(const Stamp& stamp, std::uint32_t id, const std::byte* values,
                              std::size_t bytes, const Extended& extension) {
  const auto [time, own_time] = stamp;
  const SiteState& state = states[id];
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
  if (own_time != time) {
    lowest = std::min(lowest, own_time);
    unordered = unordered || (run.records > copies && own_time < run.previous);
  }
  run.previous = time;
  // Not to a time of the consumer's that is far ahead, as that of a ring without a consumer for an
  // hour: 44 bits could not tell how far back the next record is. A producer states its time at
  // least as often.
  if (time - run.reference <= shm::kClockIntervalTicks ||
      (sites.find(id)->flags & shm::kSiteConsumerClock) == 0) {
    run.reference = time;
  }
  const unsigned index_bytes = run.before->successor == id ? 0U : state.index_bytes;
  run.before->successor = id;
  run.before = &states[id];
  const bool same = state.argument_bytes == bytes && equal_bytes(values, state.previous, bytes);
  const unsigned place = index_bytes * 2 + (same ? kPlaceSameValues : 0);
  *o++ = static_cast<std::byte>(place << 4 | code);
  store(o, delta);
  o += time_bytes;
  store(o, state.index);
  o += index_bytes;
  if (!same) o = arguments.put_all(*state.plan, values, state.previous, o);
  ++run.records;
}

// The extent's first record is made in a context that began before the extent.
ExtentEncoder::Impl::Next ExtentEncoder::Impl::begin_in_context(std::uint64_t time,
                                                                std::size_t bytes) {
  // The numbers before a copy are not those of lost records.
  if (result.dropped != 0) return stop(EncodeStop::kBeforeDrop);
  const Site* const site = sites.find(context_site);
  // The site is from memory that the service can write: a record of another kind would count and be
  // shown as one of the stream. Numbers of a stream begin at 0: one of its records was the context.
  if (site == nullptr || site->kind != shm::SiteKind::kContext || first_sequence == 0) {
    return Next::kGoOn;
  }
  const ArgumentLength length = argument_length(site->plan, context.data(), context_bytes);
  if (length.state != LengthState::kWhole || length.bytes != context_bytes) return Next::kGoOn;
  if (room() < need() + bytes + record_room(site->plan) + context_bytes) {
    return stop(EncodeStop::kOutputFull);
  }
  if (admit(context_site, time) == Next::kStop) return Next::kStop;
  // Later records are compared with it, when another context is in force.
  std::memcpy(copied_context.data(), context.data(), context_bytes);
  put({time, time}, context_site, copied_context.data(), context_bytes, {});
  states[context_site].previous = copied_context.data();
  states[context_site].argument_bytes = static_cast<std::uint32_t>(context_bytes);
  copies = 1;
  --first_sequence;
  return Next::kGoOn;
}

void ExtentEncoder::Impl::enter_context(const Site& site, const std::byte* values,
                                        std::size_t bytes) {
  context_changed = true;
  context_site = site.fields.empty() ? 0 : site.id;
  context_bytes = site.fields.empty() ? 0 : bytes;
  if (context_bytes != 0) std::memcpy(context.data(), values, context_bytes);
}

ExtentEncoder::Impl::Next ExtentEncoder::Impl::general(std::uint64_t head, std::uint32_t id,
                                                       const std::byte* values, std::size_t bytes,
                                                       const std::byte* next,
                                                       const Extended& extension) {
  const Site& site = *sites.find(id);
  widest_record = std::max(widest_record, record_room(site.plan));
  if (room() < need() + bytes) return stop(EncodeStop::kOutputFull);
  const std::uint64_t time = time_of(head, site.flags);
  std::uint64_t own_time = time;
  if ((extension.flags & shm::kExtFromEnd) != 0) {
    constexpr std::size_t kDurationBytes = shm::extended_parts_bytes(shm::kExtDuration);
    const std::size_t parts = shm::extended_parts_bytes(extension.flags);
    own_time -= load<std::uint64_t>(extension.parts + (parts - kDurationBytes));
    if (own_time > time) return corrupt(kLongDuration);
  }
  const bool is_context = site.kind == shm::SiteKind::kContext;
  if (is_context && bytes > shm::kMaxContextBytes) return corrupt("a context is too large");
  if (run.records == 0 && context_site != 0 && !is_context &&
      begin_in_context(time, bytes) == Next::kStop) {
    return Next::kStop;
  }
  SiteState& state = states[id];
  if (state.epoch != epoch && admit(id, time) == Next::kStop) return Next::kStop;
  put({time, own_time}, id, values, bytes, extension);
  if (is_context) enter_context(site, values, bytes);
  const SitePlan& plan = *state.plan;
  if (!plan.variable && static_cast<std::size_t>(end - values) < bytes + kWideBytes) {
    // The loop compares with wide loads, which must not reach past the input.
    std::memcpy(last_arguments.data(), values, bytes);
    values = last_arguments.data();
  }
  state.previous = values;
  state.argument_bytes = static_cast<std::uint32_t>(bytes);
  run.p = next;
  return Next::kGoOn;
}

}  // namespace ringside::trace
