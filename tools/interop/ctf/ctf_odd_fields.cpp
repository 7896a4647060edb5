// Numbers and texts that only CTF 2 has, and what a packet declares by its roles.

#include <algorithm>
#include <cstring>

#include "tools/interop/ctf/ctf_decoder.hpp"
#include "trace-format/lines/utf8.hpp"

namespace ringside::tool::ctf {
namespace {

void append_utf8(std::string& text, std::uint32_t code_point) {
  const auto put = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code_point < 0x80) return put(code_point);
  if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
  } else {
    if (code_point < 0x10000) {
      put(0xE0 | code_point >> 12);
    } else {
      put(0xF0 | code_point >> 18);
      put(0x80 | (code_point >> 12 & 0x3F));
    }
    put(0x80 | (code_point >> 6 & 0x3F));
  }
  put(0x80 | (code_point & 0x3F));
}

// Code units of 2 or 4 bytes.
class WideUnits {
 public:
  WideUnits(const std::byte* bytes, std::size_t unit_bytes, bool big_endian)
      : bytes_(bytes), unit_bytes_(unit_bytes), big_endian_(big_endian) {}

  std::uint32_t at(std::uint64_t index) const {
    const std::byte* const unit = bytes_ + index * unit_bytes_;
    if (unit_bytes_ == 2) {
      std::uint16_t value = 0;
      std::memcpy(&value, unit, sizeof value);
      return big_endian_ ? __builtin_bswap16(value) : value;
    }
    std::uint32_t value = 0;
    std::memcpy(&value, unit, sizeof value);
    return big_endian_ ? __builtin_bswap32(value) : value;
  }

  // The number of units before the first NUL, at most `most`.
  std::uint64_t length(std::uint64_t most) const {
    std::uint64_t count = 0;
    while (count < most && at(count) != 0) ++count;
    return count;
  }

  void append_utf8_of(std::uint64_t count, std::string& text) const {
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint32_t unit = at(i);
      const bool is_high = unit_bytes_ == 2 && unit >= 0xD800 && unit < 0xDC00;
      const std::uint32_t next = is_high && i + 1 < count ? at(i + 1) : 0;
      if (next >= 0xDC00 && next < 0xE000) {
        unit = 0x10000 + ((unit - 0xD800) << 10) + (next - 0xDC00);
        ++i;
      } else if ((unit >= 0xD800 && unit < 0xE000) || unit > 0x10FFFF) {
        unit = trace::kReplacementCharacter;
      }
      append_utf8(text, unit);
    }
  }

 private:
  const std::byte* bytes_;
  std::size_t unit_bytes_;
  bool big_endian_;
};

std::uint64_t mirrored(std::uint64_t number, std::uint32_t bits) {
  std::uint64_t mirror = 0;
  for (std::uint32_t i = 0; i < bits; ++i) mirror |= (number >> i & 1) << (bits - 1 - i);
  return mirror;
}

}  // namespace

bool Decoder::odd(const Node& node, std::uint64_t& number) {
  const Type& type = *node.type;
  if (type.is_variable) return variable(node, number);
  bits_.align(node.align_bits);
  if (!bits_.read(node.bits, node.big_endian, number)) return cut_short();
  odd_bits_ = node.bits;
  if (type.is_reversed) number = mirrored(number, node.bits);
  if (type.is_boolean) number = number != 0 ? 1 : 0;
  return true;
}

bool Decoder::variable(const Node& node, std::uint64_t& number) {
  constexpr std::uint64_t kPayload = 0x7F;
  constexpr std::uint64_t kMore = 0x80;
  constexpr std::uint64_t kSign = 0x40;
  constexpr std::uint32_t kLastShift = 63;
  bits_.align(8);
  number = 0;
  std::uint32_t shift = 0;
  for (std::uint64_t byte = kMore; (byte & kMore) != 0; shift += 7) {
    if (!bits_.read(8, false, byte)) return cut_short();
    const std::uint64_t payload = byte & kPayload;
    const bool fits = node.is_signed ? payload == 0 || payload == kPayload : payload <= 1;
    if (shift == kLastShift && (!fits || (byte & kMore) != 0))
      return bad(node, "a variable-length integer has more than 64 bits");
    number |= payload << shift;
    if (node.is_signed && (byte & (kMore | kSign)) == kSign && shift + 7 < 64)
      number |= UINT64_MAX << (shift + 7);
  }
  odd_bits_ = std::min<std::uint32_t>(shift, 64);
  return true;
}

bool Decoder::wide_string(const Node& node, std::string& copy, std::string_view& text) {
  const std::size_t unit_bytes = node.type->unit_bytes;
  const std::uint64_t held = bits_.left() / 8 / unit_bytes;
  const WideUnits units(bits_.here(), unit_bytes, node.big_endian);
  const std::uint64_t length = units.length(held);
  if (length == held) return cut_short();
  copy.clear();
  units.append_utf8_of(length, copy);
  text = copy;
  bits_.pass((length + 1) * unit_bytes * 8);
  return true;
}

bool Decoder::wide_characters(const Node& node, std::uint64_t count, std::string& copy,
                              std::string_view& text) {
  const std::size_t unit_bytes = node.type->unit_bytes;
  const WideUnits units(bits_.here(), unit_bytes, node.big_endian);
  const std::uint64_t length = units.length(count / unit_bytes);
  if (length == count / unit_bytes && count % unit_bytes != 0)
    return bad(node, "a string that ends within a character");
  copy.clear();
  units.append_utf8_of(length, copy);
  text = copy;
  bits_.pass(count * 8);
  return true;
}

void Decoder::take_packet_roles(const Node& node, std::uint64_t number) {
  packet_roles_ |= node.packet_roles;
  for (std::size_t i = 0; i < kRoles; ++i) {
    if ((node.packet_roles >> i & 1) != 0) packet_facts_[i] = number;
  }
}

void Decoder::take_uuid(std::uint64_t bytes) {
  if (bytes != packet_uuid_.size() || bits_.at() % 8 != 0) return;
  std::memcpy(packet_uuid_.data(), bits_.here(), packet_uuid_.size());
  packet_roles_ |= bit_of(Role::kUuid);
}

}  // namespace ringside::tool::ctf
