#include "tools/interop/nanolog/nanolog_arguments.hpp"

#include <cstring>

#include "shm-layout/record_head.hpp"

namespace ringside::tool::nanolog {
namespace {

using shm::FieldType;
using Kind = ArgumentStep::Kind;

// Longer than any number in a ring: a store of the last number may write this much.
constexpr std::size_t kSpareBytes = 16;
// The sizes of the length before a text in a ring, and of the longest wide character.
constexpr std::uint32_t kLengthBytes = 4;
constexpr std::uint32_t kCharacterBytes = 4;

ArgumentStep step_of(const shm::PrintfField& field) {
  const auto bytes = static_cast<std::uint8_t>(shm::fixed_size(field.type));
  if (field.conversion == 's') return {field.wide ? Kind::kWideString : Kind::kString, 0};
  if (field.type == FieldType::string) return {Kind::kWideCharacter, 0};
  if (field.type == FieldType::f64) return {Kind::kDouble, bytes};
  return {field.type == FieldType::f80 ? Kind::kLongDouble : Kind::kInteger, bytes};
}

void append_utf8(std::uint32_t character, std::string& text) {
  if (character >= 0x110000 || (character >= 0xD800 && character < 0xE000)) character = 0xFFFD;
  const auto tail = [&](unsigned shift) {
    text += static_cast<char>(0x80 | ((character >> shift) & 0x3F));
  };
  if (character < 0x80) {
    text += static_cast<char>(character);
  } else if (character < 0x800) {
    text += static_cast<char>(0xC0 | (character >> 6));
    tail(0);
  } else if (character < 0x10000) {
    text += static_cast<char>(0xE0 | (character >> 12));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0 | (character >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

unsigned number_bytes_of(ArgumentStep step, unsigned nibble) {
  const bool is_floating = step.kind == Kind::kDouble || step.kind == Kind::kLongDouble;
  return is_floating ? Packed::floating_bytes(nibble) : Packed::integer_bytes(nibble);
}

}  // namespace

ArgumentPlan::ArgumentPlan(const shm::FieldList& fields) : is_sound(fields.ok()) {
  std::uint32_t nibbles = 0;
  for (const shm::PrintfField& field : fields) {
    const ArgumentStep step = steps.emplace_back(step_of(field));
    has_strings |= step.is_string();
    nibbles += step.is_string() ? 0U : 1U;
    most_bytes += step.bytes != 0 ? step.bytes : kLengthBytes + kCharacterBytes;
  }
  nibble_bytes = (nibbles + 1) / 2;
}

long double Packed::floating_at(const std::byte* place, unsigned bytes) {
  if (bytes == 4) {
    float value = 0;
    std::memcpy(&value, place, sizeof value);
    return static_cast<long double>(value);
  }
  if (bytes == 8) {
    double value = 0;
    std::memcpy(&value, place, sizeof value);
    return static_cast<long double>(value);
  }
  // Only ten bytes are significant.
  long double number = 0;
  std::memcpy(&number, place, 10);
  return number;
}

// The caller has made room for it.
std::byte* Arguments::put_text(std::string_view text, std::byte* out) const {
  const auto bytes = static_cast<std::uint32_t>(text.size());
  std::memcpy(out, &bytes, kLengthBytes);
  if (bytes != 0) std::memcpy(out + kLengthBytes, text.data(), bytes);
  return out + kLengthBytes + bytes;
}

[[gnu::always_inline]] inline bool Arguments::number(ArgumentStep step, unsigned nibble,
                                                     Packed& packed, std::byte*& out) {
  if (step.kind == Kind::kInteger) [[likely]] {
    std::uint64_t number = 0;
    if (!packed.integer(nibble, number)) return false;
    std::memcpy(out, &number, sizeof number);
  } else if (step.kind == Kind::kDouble && nibble == sizeof(double)) {
    if (packed.left() < sizeof(double)) return false;
    std::memcpy(out, packed.here(), sizeof(double));
    packed.pass(sizeof(double));
  } else if (step.kind == Kind::kWideCharacter) {
    std::uint64_t number = 0;
    if (!packed.integer(nibble, number)) return false;
    text_.clear();
    append_utf8(static_cast<std::uint32_t>(number), text_);
    out = put_text(text_, out);
  } else {
    long double number = 0;
    if (!packed.floating(nibble, number)) return false;
    const auto rounded = static_cast<double>(number);
    if (step.kind == Kind::kDouble) std::memcpy(out, &rounded, sizeof rounded);
    if (step.kind == Kind::kLongDouble) std::memcpy(out, &number, step.bytes);
  }
  out += step.bytes;
  return true;
}

bool Arguments::string(const ArgumentPlan& plan, ArgumentStep step, Packed& strings,
                       std::byte*& out) {
  std::string_view text;
  if (step.kind == Kind::kString) {
    const char* const begin = reinterpret_cast<const char*>(strings.here());
    const auto* const end = static_cast<const char*>(std::memchr(begin, 0, strings.left()));
    if (end == nullptr) return false;
    text = {begin, static_cast<std::size_t>(end - begin)};
    strings.pass(text.size() + 1);
  } else {
    text_.clear();
    for (std::uint32_t character = 1; character != 0;) {
      if (strings.left() < sizeof character) return false;
      std::memcpy(&character, strings.here(), sizeof character);
      strings.pass(sizeof character);
      if (character != 0) append_utf8(character, text_);
    }
    text = text_;
  }
  text = text.substr(0, shm::kMaxRecordBytes);
  // Includes room for everything that can follow.
  const auto used = static_cast<std::size_t>(out - bytes_.data());
  const std::size_t needed = used + text.size() + plan.most_bytes + kSpareBytes;
  if (bytes_.size() < needed) {
    bytes_.resize(needed);
    out = bytes_.data() + used;
  }
  out = put_text(text, out);
  return true;
}

std::size_t Arguments::read_steps(const ArgumentPlan& plan, std::span<const std::byte> left) {
  if (left.size() < plan.nibble_bytes) return 0;
  if (bytes_.size() < plan.most_bytes + kSpareBytes) bytes_.resize(plan.most_bytes + kSpareBytes);
  const std::byte* const nibbles = left.data();
  const auto nibble = [nibbles](unsigned index) {
    return static_cast<unsigned>(nibbles[index / 2]) >> index % 2 * 4 & 15;
  };
  Packed numbers(left);
  numbers.pass(plan.nibble_bytes);
  std::byte* out = bytes_.data();
  unsigned used = 0;
  if (!plan.has_strings) {
    for (const ArgumentStep step : plan.steps) {
      if (!number(step, nibble(used++), numbers, out)) return 0;
    }
    used_ = static_cast<std::size_t>(out - bytes_.data());
    return numbers.position();
  }

  // Strings come after all numbers.
  std::size_t number_bytes = 0;
  for (const ArgumentStep step : plan.steps) {
    if (!step.is_string()) number_bytes += number_bytes_of(step, nibble(used++));
  }
  if (numbers.left() < number_bytes) return 0;
  Packed strings = numbers;
  strings.pass(number_bytes);
  used = 0;
  for (const ArgumentStep step : plan.steps) {
    if (!(step.is_string() ? string(plan, step, strings, out)
                           : number(step, nibble(used++), numbers, out)))
      return 0;
  }
  used_ = static_cast<std::size_t>(out - bytes_.data());
  return strings.position();
}

}  // namespace ringside::tool::nanolog
