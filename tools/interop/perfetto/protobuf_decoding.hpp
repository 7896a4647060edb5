#pragma once
// Reads the fields of Protocol Buffers messages in their wire format.

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "tools/interop/perfetto/protobuf_encoding.hpp"

namespace ringside::tool::protobuf {

// At most 10 bytes; moves `at` past it. False if it does not end before `end`.
[[gnu::always_inline]] inline bool take_varint(const char*& at, const char* end,
                                               std::uint64_t& number) {
  if (at != end && static_cast<signed char>(*at) >= 0) [[likely]] {
    number = static_cast<std::uint8_t>(*at++);
    return true;
  }
  number = 0;
  for (unsigned shift = 0; shift < 70 && at != end; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(*at++);
    number |= static_cast<std::uint64_t>(byte & 0x7FU) << (shift & 63U);
    if (byte < 0x80) return true;
  }
  return false;
}

struct Field {
  std::uint32_t number = 0;
  Wire wire = Wire::kVarint;
  std::uint64_t value = 0;  // 0 for kBytes
  std::string_view bytes;   // empty except for kBytes

  std::int64_t as_signed() const { return static_cast<std::int64_t>(value); }
  double as_double() const { return std::bit_cast<double>(value); }
  bool is_number() const { return wire != Wire::kBytes; }
  bool is_bytes() const { return wire == Wire::kBytes; }
};

// The fields of a message in their order; the message must outlive this object. An invalid field
// ends the iteration, and is_sound() is then false.
class Fields {
 public:
  explicit Fields(std::string_view message)
      : begin_(message.data()), at_(begin_), end_(begin_ + message.size()) {}

  bool next(Field& field) {
    if (at_ == end_) return false;
    std::uint64_t tag = 0;
    if (!take_varint(at_, end_, tag)) return fail();
    if (tag >> 3 == 0 || tag > std::numeric_limits<std::uint32_t>::max()) return fail();
    field.number = static_cast<std::uint32_t>(tag >> 3);
    field.wire = static_cast<Wire>(tag & 7U);
    field.value = 0;
    field.bytes = {};
    switch (field.wire) {
      case Wire::kVarint:
        return take_varint(at_, end_, field.value) || fail();
      case Wire::kBytes: {
        std::uint64_t bytes = 0;
        if (!take_varint(at_, end_, bytes) || bytes > left()) return fail();
        field.bytes = {at_, static_cast<std::size_t>(bytes)};
        at_ += bytes;
        return true;
      }
      case Wire::kFixed64:
        return take_fixed<std::uint64_t>(field.value);
      case Wire::kFixed32:
        return take_fixed<std::uint32_t>(field.value);
    }
    return fail();
  }

  bool is_sound() const { return sound_; }
  std::size_t position() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  bool fail() {
    sound_ = false;
    at_ = end_;
    return false;
  }
  template <class Number>
  bool take_fixed(std::uint64_t& value) {
    Number number = 0;
    if (left() < sizeof number) return fail();
    std::memcpy(&number, at_, sizeof number);
    value = number;
    at_ += sizeof number;
    return true;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  bool sound_ = true;
};

// For a repeated field of numbers, single or packed: calls Take(number) for each complete number.
template <class Take>
void for_each_number(const Field& field, Wire packed, Take&& take) {
  if (!field.is_bytes()) return take(field.value);
  const char* at = field.bytes.data();
  const char* const end = at + field.bytes.size();
  std::uint64_t number = 0;
  if (packed == Wire::kVarint) {
    while (at != end && take_varint(at, end, number)) take(number);
    return;
  }
  for (; static_cast<std::size_t>(end - at) >= sizeof number; at += sizeof number) {
    std::memcpy(&number, at, sizeof number);
    take(number);
  }
}

}  // namespace ringside::tool::protobuf
