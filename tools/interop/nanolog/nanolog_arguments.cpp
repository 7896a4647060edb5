#include "tools/interop/nanolog/nanolog_arguments.hpp"

#include <algorithm>
#include <cstring>

#include "tools/interop/nanolog/nanolog_reader.hpp"

namespace ringside::tool::nanolog {
namespace {

using shm::FieldType;

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

}  // namespace

bool Packed::integer(unsigned nibble, std::uint64_t& number) {
  const bool negative = nibble > 8;
  const unsigned bytes = negative ? nibble - 8 : nibble;
  if (left() < bytes) return false;
  number = 0;
  std::memcpy(&number, here(), bytes);
  if (negative) number = 0 - number;
  pass(bytes);
  return true;
}

bool Packed::floating(unsigned nibble, long double& number) {
  const unsigned bytes = nibble == 0 ? 16 : nibble;
  if (left() < bytes) return false;
  if (bytes == 4) {
    float value = 0;
    std::memcpy(&value, here(), sizeof value);
    number = static_cast<long double>(value);
  } else if (bytes == 16) {
    // Ten bytes count.
    number = 0;
    std::memcpy(&number, here(), 10);
  } else if (bytes == 8) {
    double value = 0;
    std::memcpy(&value, here(), sizeof value);
    number = static_cast<long double>(value);
  } else {
    return false;
  }
  pass(bytes);
  return true;
}

bool Arguments::number(const shm::PrintfField& field, unsigned nibble, Packed& packed,
                       std::size_t index) {
  trace::Value& value = values_[index];
  value.type = field.type;
  if (field.type == FieldType::f64 || field.type == FieldType::f80) {
    long double number = 0;
    if (!packed.floating(nibble, number)) return false;
    value = field.type == FieldType::f80 ? trace::Value::of_f80(number)
                                         : trace::Value::of_f64(static_cast<double>(number));
    return true;
  }
  std::uint64_t number = 0;
  if (!packed.integer(nibble, number)) return false;
  if (field.type == FieldType::string) {  // a wide character
    texts_[index].clear();
    append_utf8(static_cast<std::uint32_t>(number), texts_[index]);
    value.text = texts_[index];
    return true;
  }
  const auto unused =
      static_cast<unsigned>(64 - 8 * std::min<std::size_t>(shm::fixed_size(field.type), 8));
  const std::uint64_t high = number << unused;
  value.u64 = shm::is_signed(field.type)
                  ? static_cast<std::uint64_t>(static_cast<std::int64_t>(high) >> unused)
                  : high >> unused;
  return true;
}

bool Arguments::string(const shm::PrintfField& field, Packed& packed, std::size_t index) {
  trace::Value& value = values_[index];
  value.type = FieldType::string;
  if (!field.wide) {
    const char* const begin = reinterpret_cast<const char*>(packed.here());
    const auto* const end = static_cast<const char*>(std::memchr(begin, 0, packed.left()));
    if (end == nullptr) return false;
    value.text = {begin, static_cast<std::size_t>(end - begin)};
    packed.pass(value.text.size() + 1);
    return true;
  }
  std::string& text = texts_[index];
  text.clear();
  for (std::uint32_t character = 1; character != 0;) {
    if (packed.left() < sizeof character) return false;
    std::memcpy(&character, packed.here(), sizeof character);
    packed.pass(sizeof character);
    if (character != 0) append_utf8(character, text);
  }
  value.text = text;
  return true;
}

bool Arguments::read(const Statement& statement, Packed& packed) {
  const std::size_t count = statement.fields.count;
  values_.assign(count, {});
  if (texts_.size() < count) texts_.resize(count);
  const std::size_t nibble_bytes = (statement.nibbles + 1) / 2;
  if (packed.left() < nibble_bytes) return false;
  const std::byte* const nibbles = packed.here();
  packed.pass(nibble_bytes);
  std::size_t used = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const shm::PrintfField& field = statement.fields[i];
    if (is_string(field)) continue;
    const auto both = static_cast<unsigned>(nibbles[used / 2]);
    const unsigned nibble = used % 2 == 0 ? both & 15 : both >> 4;
    ++used;
    if (!number(field, nibble, packed, i)) return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (is_string(statement.fields[i]) && !string(statement.fields[i], packed, i)) return false;
  }
  return true;
}

}  // namespace ringside::tool::nanolog
