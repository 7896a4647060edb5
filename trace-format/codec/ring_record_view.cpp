#include "trace-format/codec/ring_record_view.hpp"

#include <cstring>

#include "shm-layout/record_head.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/argument_length.hpp"

namespace ringside::trace {
namespace {

using State = RingRecordView::State;

RingRecordView corrupt_record(const char* why) {
  RingRecordView view;
  view.state = State::kCorrupt;
  view.why = why;
  return view;
}

RingRecordView control(std::uint64_t head, std::span<const std::byte> bytes) {
  std::uint64_t length = 0;
  switch (shm::head_id(head)) {
    case shm::kCodePad:
      length = shm::head_tsc(head);
      if (length < shm::kHeadBytes) return corrupt_record("a pad is shorter than its header");
      break;
    case shm::kCodeClock:
      length = shm::kClockRecordBytes;
      break;
    case shm::kCodeDrop:
      length = shm::kDropRecordBytes;
      break;
    default:
      return corrupt_record("a control record has an unknown code");
  }
  RingRecordView view;
  if (bytes.size() < length) return view;
  view.state = State::kWhole;
  view.head = head;
  view.bytes = bytes.first(length);
  return view;
}

RingRecordView of_site(const Site& site, std::uint64_t head, std::span<const std::byte> bytes,
                       std::size_t fixed) {
  const std::span<const std::byte> rest = bytes.subspan(fixed);
  const ArgumentLength length = argument_length(site.plan, rest.data(), rest.size());
  if (length.state == LengthState::kCorrupt) return corrupt_record(length.reason);
  RingRecordView view;
  if (length.state == LengthState::kIncomplete) return view;
  view.state = State::kWhole;
  view.site = &site;
  view.head = head;
  view.bytes = bytes.first(fixed + length.bytes);
  view.arguments = rest.first(length.bytes);
  return view;
}

RingRecordView extended(const SiteTable& sites, std::uint64_t head,
                        std::span<const std::byte> bytes) {
  if (bytes.size() < shm::kExtendedHeadBytes) return {};
  const auto id = load<std::uint32_t>(bytes.data() + 8);
  const auto flags = load<std::uint32_t>(bytes.data() + 12);
  const auto length = load<std::uint32_t>(bytes.data() + 16);
  if (!shm::are_valid_flags(flags)) return corrupt_record("an extended record has unknown flags");
  const std::uint32_t fixed = shm::kExtendedHeadBytes + shm::extended_parts_bytes(flags);
  if (length < fixed) return corrupt_record("an extended record is shorter than its parts");
  if (length > shm::kMaxRecordBytes)
    return corrupt_record("the record exceeds the maximum record size");
  const Site* const site = sites.find(id);
  if (site == nullptr)
    return corrupt_record("the site of an extended record is missing in the dictionary");
  if (bytes.size() < length) return {};
  RingRecordView view = of_site(*site, head, bytes.first(length), fixed);
  if (view.state == State::kCorrupt) return view;
  if (view.state == State::kIncomplete || view.bytes.size() != length) {
    return corrupt_record("the arguments of an extended record do not match its length");
  }
  view.flags = flags;
  view.extended = true;
  return view;
}

}  // namespace

RingRecordView view_ring_record(const SiteTable& sites, std::span<const std::byte> bytes) {
  if (bytes.size() < shm::kHeadBytes) return {};
  const auto head = load<std::uint64_t>(bytes.data());
  const std::uint32_t id = shm::head_id(head);
  if (id == shm::kCodeExtended) return extended(sites, head, bytes);
  if (id >= shm::kFirstControlCode) return control(head, bytes);
  const Site* const site = sites.find(id);
  if (site == nullptr) {
    return corrupt_record(id == 0 ? "no record was written here (site id 0)"
                                  : "the site of a record is missing in the dictionary");
  }
  return of_site(*site, head, bytes, shm::kHeadBytes);
}

RecordExtension ring_extension(const RingRecordView& record) {
  RecordExtension extension;
  if (!record.extended) return extension;
  extension.ext_flags = record.flags;
  extension.cut = (record.flags & shm::kExtCut) != 0;
  const std::byte* part = record.bytes.data() + shm::kExtendedHeadBytes;
  const auto take = [&](std::uint32_t flag, void* member, std::size_t bytes) {
    if ((record.flags & flag) == 0) return;
    std::memcpy(member, part, bytes);
    part += bytes;
  };
  take(shm::kExtSubstream, &extension.substream, sizeof extension.substream);
  take(shm::kExtActivity, extension.activity.data(), extension.activity.size());
  take(shm::kExtRelatedActivity, extension.related.data(), extension.related.size());
  take(shm::kExtStack, &extension.stack_id, sizeof extension.stack_id);
  take(shm::kExtDuration, &extension.duration, sizeof extension.duration);
  return extension;
}

}  // namespace ringside::trace
