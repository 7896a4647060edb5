#include "tools/interop/heph/heph_packets.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "tools/files/output_file.hpp"

namespace ringside::tool::heph {
namespace {

constexpr std::size_t kHeadBytes = 8;  // magic and size
constexpr std::size_t kNumberBytes = 8;
constexpr std::size_t kSearchBytes = std::size_t{4} << 20;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Null, or what is wrong.
const char* take_metadata(std::span<const std::byte> bytes, Packet& packet) {
  const std::size_t name_bytes = load_big<std::uint16_t>(bytes.data() + kHeadBytes);
  if (name_bytes > bytes.size() - kLeastMetadataBytes) {
    return "the option's name is longer than the packet";
  }
  packet.option = text_of(bytes.subspan(kLeastMetadataBytes, name_bytes));
  packet.value = bytes.subspan(kLeastMetadataBytes + name_bytes);
  packet.is_epoch = packet.option == kEpoch;
  if (!packet.is_epoch) return nullptr;
  if (packet.value.size() != kNumberBytes) return "the epoch is not a number of 8 bytes";
  packet.epoch_ns = load_big<std::uint64_t>(packet.value.data());
  return nullptr;
}

const char* take_event(std::span<const std::byte> bytes, Packet& packet) {
  const std::byte* const p = bytes.data();
  packet.stream = load_big<std::uint32_t>(p + 8);
  packet.counter = load_big<std::uint32_t>(p + 12);
  packet.substream = load_big<std::uint64_t>(p + 16);
  packet.start = load_big<std::uint64_t>(p + 24);
  packet.end = load_big<std::uint64_t>(p + 32);
  const std::size_t text_bytes = load_big<std::uint16_t>(p + 40);
  if (text_bytes > bytes.size() - kLeastEventBytes) {
    return "the description is longer than the packet";
  }
  packet.description = text_of(bytes.subspan(kLeastEventBytes, text_bytes));
  packet.attributes = bytes.subspan(kLeastEventBytes + text_bytes);
  return nullptr;
}

}  // namespace

bool AttributeCursor::take_text(std::string_view& text) {
  if (left() < 2) return false;
  const std::size_t bytes = load_big<std::uint16_t>(at_);
  if (bytes > left() - 2) return false;
  text = {reinterpret_cast<const char*>(at_ + 2), bytes};
  at_ += 2 + bytes;
  return true;
}

bool AttributeCursor::next(Attribute& attribute) {
  if (at_ == end_) return false;
  if (!take_text(attribute.name)) return fail("an attribute's name is longer than the packet");
  if (left() < 1) return fail("an attribute has no type");
  attribute.type = static_cast<std::uint8_t>(*at_++);
  const std::uint8_t element = attribute.element_type();
  if (element < kUnsigned || element > kString) return fail("an attribute has an unknown type");
  constexpr const char* kLong = "an attribute's value is longer than the packet";
  attribute.count = 1;
  if (attribute.is_array()) {
    if (left() < 2) return fail(kLong);
    attribute.count = load_big<std::uint16_t>(at_);
    at_ += 2;
  }
  if (element != kString) {
    const std::size_t bytes = attribute.count * kNumberBytes;
    if (left() < bytes) return fail(kLong);
    attribute.value = {reinterpret_cast<const char*>(at_), bytes};
    at_ += bytes;
    return true;
  }
  if (!attribute.is_array()) return take_text(attribute.value) || fail(kLong);
  const std::byte* const begin = at_;
  for (std::uint32_t i = 0; i < attribute.count; ++i) {
    std::string_view text;
    if (!take_text(text)) return fail(kLong);
  }
  attribute.value = {reinterpret_cast<const char*>(begin), static_cast<std::size_t>(at_ - begin)};
  return true;
}

std::string_view take_element(std::string_view& elements) {
  const std::size_t bytes =
      load_big<std::uint16_t>(reinterpret_cast<const std::byte*>(elements.data()));
  const std::string_view text = elements.substr(2, bytes);
  elements.remove_prefix(2 + bytes);
  return text;
}

const char* fault_of_attributes(std::span<const std::byte> attributes) {
  AttributeCursor cursor(attributes);
  Attribute attribute;
  while (cursor.next(attribute)) {
  }
  return cursor.failure();
}

Step PacketReader::bad(const Packet& packet, std::string why) {
  why_ = std::move(why);
  return input_.pass_over(packet.size) == packet.size
             ? Step::kBad
             : damaged("the file ends within this packet; it is truncated, or the size is wrong");
}

Step PacketReader::damaged(std::string why) {
  why_ = std::move(why);
  return Step::kDamaged;
}

Step PacketReader::cut(const Packet& packet, std::uint64_t here) {
  return damaged(
      fmt::format("the file ends {} bytes before the end of this packet of {}; it is truncated, or "
                  "the size is wrong",
                  packet.size - here, packet.size));
}

Step parse_packet(std::span<const std::byte> bytes, Packet& packet, std::string* why) {
  packet.size = 0;
  packet.is_epoch = false;
  why->clear();
  if (bytes.empty()) return Step::kEnd;
  if (bytes.size() < 4) return Step::kDamaged;
  const auto magic = load_big<std::uint32_t>(bytes.data());
  packet.is_event = magic == kEventMagic;
  if (!packet.is_event && magic != kMetadataMagic) {
    *why = fmt::format(
        "not a packet: {:#010x} is neither the magic number of metadata nor of events", magic);
    return Step::kDamaged;
  }
  if (bytes.size() < kHeadBytes) return Step::kDamaged;
  packet.size = load_big<std::uint32_t>(bytes.data() + 4);
  const std::uint32_t least = packet.is_event ? kLeastEventBytes : kLeastMetadataBytes;
  if (packet.size < least) {
    *why = fmt::format("a packet of {} bytes; its kind has at least {}", packet.size, least);
    return Step::kDamaged;
  }
  if (packet.size > kMostPacketBytes) {
    *why = "it is larger than 64 MiB";
    return Step::kBad;
  }
  if (bytes.size() < packet.size) return Step::kDamaged;
  const std::span<const std::byte> own = bytes.first(packet.size);
  const char* const fault = packet.is_event ? take_event(own, packet) : take_metadata(own, packet);
  if (fault != nullptr) *why = fault;
  return fault == nullptr ? Step::kPacket : Step::kBad;
}

Step PacketReader::next(Packet& packet) {
  input_.skip(std::exchange(shown_, 0));
  packet.offset = input_.offset();
  std::span<const std::byte> bytes = input_.peek(kHeadBytes);
  Step step = parse_packet(bytes, packet, &why_);
  if (step == Step::kDamaged && why_.empty() && packet.size != 0) {
    bytes = input_.peek(packet.size);
    if (bytes.size() < packet.size) return cut(packet, bytes.size());
    step = parse_packet(bytes, packet, &why_);
  }
  if (step == Step::kDamaged && why_.empty()) why_ = "the file ends within a packet's first bytes";
  if (step == Step::kBad) return bad(packet, std::move(why_));
  if (step == Step::kPacket) shown_ = packet.size;
  return step;
}

namespace {

// Reads first what was read ahead, then the rest of the input.
std::unique_ptr<InputBytes> chained(std::unique_ptr<OutputFile> ahead, InputBytes& rest,
                                    std::string* error) {
  const std::string path = ahead->readable_path(error);
  std::shared_ptr<InputBytes> first = path.empty() ? nullptr : InputBytes::open(path, error);
  if (first == nullptr) return nullptr;
  return InputBytes::of(rest.name(), [first, &rest](std::span<std::byte> room) {
    InputBytes& from = first->at_end() ? rest : *first;
    const std::span<const std::byte> here = from.peek(1);
    const std::size_t count = std::min(here.size(), room.size());
    if (count != 0) std::memcpy(room.data(), here.data(), count);
    from.skip(count);
    return static_cast<std::ptrdiff_t>(count);
  });
}

// Searches the bytes in memory without reading further; true if the question is settled.
bool find_epoch_in(std::span<const std::byte> bytes, std::optional<std::uint64_t>& epoch) {
  const auto window = InputBytes::in_memory("", bytes);
  PacketReader reader(*window);
  Packet packet;
  for (;;) {
    const Step step = reader.next(packet);
    if (step == Step::kEnd || step == Step::kDamaged) return bytes.size() < kSearchBytes;
    if (step == Step::kPacket && packet.is_epoch) {
      epoch = packet.epoch_ns;
      return true;
    }
  }
}

}  // namespace

EpochSearch find_first_epoch(InputBytes& input) {
  EpochSearch search;
  // The events of a sender that pauses are not kept waiting.
  if (input.is_live()) {
    const bool is_first = find_epoch_in(input.peek_until_pause(1), search.epoch_ns);
    if (!is_first || !search.epoch_ns) {
      find_epoch_in(input.peek_until_pause(kSearchBytes), search.epoch_ns);
    }
    return search;
  }
  // It is nearly always in the first packet.
  if (find_epoch_in(input.peek(1), search.epoch_ns) && search.epoch_ns) return search;
  if (find_epoch_in(input.peek(kSearchBytes), search.epoch_ns)) return search;
  auto ahead = OutputFile::create_unnamed(&search.failure);
  if (ahead == nullptr) return search;
  InputBytes* const from = &input;
  const auto copied = InputBytes::of(input.name(), [from, &ahead](std::span<std::byte> room) {
    const std::span<const std::byte> here = from->peek(1);
    const std::size_t count = std::min(here.size(), room.size());
    if (count != 0) std::memcpy(room.data(), here.data(), count);
    ahead->write(here.first(count));
    from->skip(count);
    return static_cast<std::ptrdiff_t>(count);
  });
  PacketReader reader(*copied);
  Packet packet;
  for (Step step = reader.next(packet); step != Step::kEnd && step != Step::kDamaged;
       step = reader.next(packet)) {
    if (step != Step::kPacket || !packet.is_epoch) continue;
    search.epoch_ns = packet.epoch_ns;
    break;
  }
  search.replay = chained(std::move(ahead), input, &search.failure);
  return search;
}

}  // namespace ringside::tool::heph
