#include "tools/interop/ctf/ctf_decoder.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

namespace ringside::tool::ctf {
namespace {

// The size of an element in a record: 1, 2, 4 or 8 bytes; an enumeration has 8.
std::uint32_t stored_bytes(const Node& element) {
  if (element.kind == TypeKind::kEnum) return 8;
  if (element.is_odd && element.type->is_boolean) return 1;
  return element.bits <= 8 ? 1 : element.bits <= 16 ? 2 : element.bits <= 32 ? 4 : 8;
}

// How many fields without bits a packet can have. Files can claim any number of them, at any depth,
// without a byte: they cost time only. Real traces have few, such as absent optional fields.
constexpr std::uint64_t kFreeEmptyFields = 256;
constexpr std::uint64_t kEmptyFieldsPerBit = 4;
// A field without bits counts as one more for this much text.
constexpr std::size_t kTextOfEmptyField = 16;

void append(std::string& text, const void* bytes, std::size_t count) {
  text.append(static_cast<const char*>(bytes), count);
}

}  // namespace

void Decoder::make_room(std::size_t slots, std::size_t columns) {
  if (slots_.size() < slots) slots_.resize(slots);
  if (columns_.size() >= columns) return;
  columns_.resize(columns);
  texts_.resize(columns);
}

void Decoder::expect_bits(std::uint64_t packet_bits) {
  empty_fields_ = 0;
  most_empty_fields_ =
      kFreeEmptyFields + kEmptyFieldsPerBit * std::min(packet_bits, UINT64_MAX / 8);
}

bool Decoder::check_empty(const Node& node, std::uint64_t begin, std::size_t text) {
  if (bits_.at() != begin) return true;
  empty_fields_ += 1 + text / kTextOfEmptyField;
  if (empty_fields_ <= most_empty_fields_) return true;
  return bad(node, "more elements or members without bits than a packet of its size can have");
}

bool Decoder::bad(const Node& node, std::string_view why) {
  decoded_ = Decoded::kBad;
  failure_ = fmt::format("field '{}': {}", plain_name(node.name), why);
  return false;
}

[[gnu::always_inline]] inline bool Decoder::number(const Node& node) {
  std::uint64_t number = 0;
  if (!raw(node, number)) return false;
  if (node.role == NodeRole::kClock) {
    // The field has only the low bits of the clock, which has advanced by less than their range.
    clock_ += (number - clock_) & low_bits(node.is_odd ? odd_bits_ : node.bits);
  }
  number = extended(node, number);
  if (node.role == NodeRole::kEventId) event_id_ = number;
  if (node.role == NodeRole::kOfPacket) take_packet_roles(node, number);
  if (node.slot != kNone) slots_[node.slot] = number;
  if (node.column != kNone) columns_[node.column].u64 = number;
  return true;
}

bool Decoder::floating(const Node& node) {
  std::uint64_t number = 0;
  if (!raw(node, number)) return false;
  if (node.column == kNone) return true;
  trace::Value& value = columns_[node.column];
  if (node.bits == 32) {
    value.f32 = std::bit_cast<float>(static_cast<std::uint32_t>(number));
  } else {
    value.u64 = number;
  }
  return true;
}

bool Decoder::string(const Node& node, std::string& copy, std::string_view& text) {
  bits_.align(node.align_bits < 8 ? 8 : node.align_bits);
  if (bits_.left() == 0) return cut_short();
  if (node.type->unit_bytes != 1) [[unlikely]]
    return wide_string(node, copy, text);
  const char* const begin = reinterpret_cast<const char*>(bits_.here());
  const auto* const end = static_cast<const char*>(std::memchr(begin, 0, bits_.left() / 8));
  if (end == nullptr) return cut_short();
  text = {begin, static_cast<std::size_t>(end - begin)};
  bits_.pass((std::uint64_t{text.size()} + 1) * 8);
  return true;
}

bool Decoder::count_of(const Node& node, std::uint64_t& count) {
  count = node.kind == TypeKind::kArray ? node.length : slots_[node.reference];
  // Elements without bits do not limit the count that a file can claim; see check_empty().
  if (count > UINT32_MAX) return bad(node, "an array of more than 2^32 - 1 elements");
  const Node& element = node.children.front();
  bits_.align(node.align_bits);
  const std::uint64_t least = element.is_odd && element.type->is_variable ? 8
                              : element.bits != 0                         ? element.bits
                              : element.kind == TypeKind::kString         ? 8
                                                                          : 0;
  return count * least <= bits_.left() || cut_short();
}

bool Decoder::characters(const Node& node, std::uint64_t count, std::string& copy,
                         std::string_view& text) {
  if (node.type->unit_bytes != 1) [[unlikely]]
    return wide_characters(node, count, copy, text);
  const Node& element = node.children.front();
  // The bits exist: count_of() has checked that.
  if (element.align_bits <= 8 && bits_.at() % 8 == 0) {
    const char* const begin = reinterpret_cast<const char*>(bits_.here());
    const void* const end = count == 0 ? nullptr : std::memchr(begin, 0, count);
    text = {begin, end == nullptr
                       ? static_cast<std::size_t>(count)
                       : static_cast<std::size_t>(static_cast<const char*>(end) - begin)};
    bits_.pass(count * 8);
    return true;
  }
  copy.clear();
  bool ended = false;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t character = 0;
    if (!raw(element, character)) return false;
    ended |= character == 0;
    if (!ended) copy += static_cast<char>(character);
  }
  text = copy;
  return true;
}

bool Decoder::elements(const Node& node, std::uint64_t count) {
  const Node& element = node.children.front();
  trace::Value& value = columns_[node.column];
  std::string& text = texts_[node.column];
  value.count = static_cast<std::uint32_t>(count);
  if (element.kind == TypeKind::kString) {
    text.clear();
    for (std::uint64_t i = 0; i < count; ++i) {
      std::string_view one;
      if (!string(element, wide_, one)) return false;
      const auto bytes = static_cast<std::uint32_t>(one.size());
      append(text, &bytes, sizeof bytes);
      text += one;
    }
    value.text = text;
    return true;
  }
  const std::uint32_t bytes = stored_bytes(element);
  bits_.align(element.align_bits);
  const bool as_they_are = !element.is_odd && bytes * 8 == element.bits &&
                           element.align_bits <= element.bits && bits_.at() % 8 == 0 &&
                           (!element.big_endian || bytes == 1);
  if (as_they_are) {
    value.text = {reinterpret_cast<const char*>(bits_.here()),
                  static_cast<std::size_t>(count * bytes)};
    bits_.pass(count * bytes * 8);
    return true;
  }
  text.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t number = 0;
    if (!raw(element, number)) return false;
    number = extended(element, number);
    append(text, &number, bytes);
  }
  value.text = text;
  return true;
}

bool Decoder::halves(const Node& element, std::uint32_t column, std::uint64_t count) {
  trace::Value& value = columns_[column];
  std::string& text = texts_[column];
  value.count = static_cast<std::uint32_t>(count);
  text.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    for (const Node& half : element.children) {
      std::uint64_t number = 0;
      if (!raw(half, number)) return false;
      append(text, &number, stored_bytes(half));
    }
  }
  value.text = text;
  return true;
}

bool Decoder::hex_strings(const Node& node, std::uint64_t count) {
  const Node& element = node.children.front();
  trace::Value& value = columns_[node.column];
  std::string& text = texts_[node.column];
  value.count = static_cast<std::uint32_t>(count);
  text.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string_view digits;
    if (!string(element, wide_, digits)) return false;
    if (digits.size() % 2 != 0) return bad(node, "an odd number of hexadecimal digits");
    const auto bytes = static_cast<std::uint32_t>(digits.size() / 2);
    append(text, &bytes, sizeof bytes);
    for (; !digits.empty(); digits.remove_prefix(2)) {
      unsigned byte = 0;
      const char* const end = digits.data() + 2;
      const auto [stop, error] = std::from_chars(digits.data(), end, byte, 16);
      if (error != std::errc() || stop != end)
        return bad(node, "a character that is not a hexadecimal digit");
      text += static_cast<char>(byte);
    }
  }
  value.text = text;
  return true;
}

bool Decoder::array(const Node& node) {
  std::uint64_t count = 0;
  if (!count_of(node, count)) return false;
  if (node.role == NodeRole::kOfPacket) take_uuid(count);
  if (node.column != kNone) {
    trace::Value& value = columns_[node.column];
    switch (node.mode) {
      case ColumnMode::kText:
        return characters(node, count, texts_[node.column], value.text);
      case ColumnMode::kHexStrings:
        return hex_strings(node, count);
      case ColumnMode::kHalves:
        return halves(node.children.front(), node.column, count);
      default:
        return elements(node, count);
    }
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t begin = bits_.at();
    if (!walk(node.children.front()) || !check_empty(node, begin)) return false;
  }
  return true;
}

const Node* Decoder::option(const Node& node) {
  const std::uint64_t tag = slots_[node.reference];
  for (const Node::Choice& choice : node.choices) {
    // Modulo 2^64, for signed and unsigned tags.
    if (tag - choice.first <= choice.last - choice.first) return &node.children[choice.option];
  }
  bad(node, "a variant whose tag does not match any option");
  return nullptr;
}

bool Decoder::straight(const Node& node, const NodePart& part) {
  bits_.align(node.children[part.first].align_bits);
  if (!bits_.has_straight(part.bytes)) {
    for (std::size_t i = 0; i < part.numbers.size(); ++i) {
      if (!walk(node.children[part.first + i])) return false;
    }
    return true;
  }
  const std::byte* here = bits_.here();
  for (const StraightNumber& straight : part.numbers) {
    std::uint64_t loaded = 0;
    std::memcpy(&loaded, here, sizeof loaded);
    here += straight.bytes;
    // Moves the number's bits to the top of the word first.
    const unsigned unused = 64 - 8U * straight.bytes;
    loaded = straight.big_endian ? __builtin_bswap64(loaded) : loaded << unused;
    const std::uint64_t number =
        straight.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(loaded) >> unused)
                           : loaded >> unused;
    if (straight.slot != kNone) slots_[straight.slot] = number;
    if (straight.column != kNone) columns_[straight.column].u64 = number;
  }
  bits_.pass(std::uint64_t{part.bytes} * 8);
  return true;
}

bool Decoder::member(const Node& node) {
  const std::uint64_t begin = bits_.at();
  return walk(node) && check_empty(node, begin);
}

bool Decoder::structure(const Node& node) {
  for (const NodePart& part : node.parts) {
    if (part.bytes != 0) {
      if (!straight(node, part)) return false;
      continue;
    }
    const Node& child = node.children[part.first];
    const bool is_number = child.kind == TypeKind::kInteger || child.kind == TypeKind::kEnum;
    if (!(is_number ? number(child) : member(child))) return false;
  }
  if (!node.parts.empty()) return true;
  return std::all_of(node.children.begin(), node.children.end(),
                     [this](const Node& child) { return member(child); });
}

bool Decoder::walk(const Node& node) {
  if (node.mode == ColumnMode::kRendered && node.column != kNone) {
    std::string& text = texts_[node.column];
    text.clear();
    if (!render(node, text)) return false;
    columns_[node.column].text = text;
    return true;
  }
  switch (node.kind) {
    case TypeKind::kInteger:
    case TypeKind::kEnum:
      return number(node);
    case TypeKind::kFloat:
      return floating(node);
    case TypeKind::kString: {
      std::string_view text;
      std::string& copy = node.column == kNone ? wide_ : texts_[node.column];
      if (!string(node, copy, text)) return false;
      if (node.column != kNone) columns_[node.column].text = text;
      return true;
    }
    case TypeKind::kArray:
    case TypeKind::kSequence:
      return array(node);
    case TypeKind::kStruct:
      bits_.align(node.align_bits);
      if (node.column != kNone) {
        trace::Value& value = columns_[node.column];
        return raw(node.children[0], value.u64) && raw(node.children[1], value.high);
      }
      return structure(node);
    case TypeKind::kVariant: {
      const Node* const chosen = option(node);
      return chosen != nullptr && walk(*chosen);
    }
  }
  return true;
}

}  // namespace ringside::tool::ctf
