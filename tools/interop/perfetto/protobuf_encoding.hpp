#pragma once
// Writes fields of Protocol Buffers messages in their wire format.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "trace-format/text/text_sink.hpp"

namespace ringside::tool::protobuf {

enum class Wire : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

inline void put_varint(trace::TextSink& out, std::uint64_t number) {
  constexpr std::size_t kMostBytes = 10;
  char* at = out.reserve(kMostBytes);
  for (; number >= 0x80; number >>= 7) *at++ = static_cast<char>(number | 0x80);
  *at++ = static_cast<char>(number);
  out.commit(at);
}

inline void put_tag(trace::TextSink& out, std::uint32_t field, Wire wire) {
  put_varint(out, field << 3 | static_cast<std::uint32_t>(wire));
}

// uint64, uint32, bool, enumerations; int64 and int32 as their 64 bits.
inline void put_number(trace::TextSink& out, std::uint32_t field, std::uint64_t number) {
  put_tag(out, field, Wire::kVarint);
  put_varint(out, number);
}

inline void put_fixed64(trace::TextSink& out, std::uint32_t field, std::uint64_t number) {
  put_tag(out, field, Wire::kFixed64);
  char* const at = out.reserve(sizeof number);
  std::memcpy(at, &number, sizeof number);
  out.commit(at + sizeof number);
}

inline void put_double(trace::TextSink& out, std::uint32_t field, double number) {
  put_fixed64(out, field, std::bit_cast<std::uint64_t>(number));
}

// string, bytes, and messages that are already encoded.
inline void put_bytes(trace::TextSink& out, std::uint32_t field, std::string_view bytes) {
  put_tag(out, field, Wire::kBytes);
  put_varint(out, bytes.size());
  out.write(bytes);
}

}  // namespace ringside::tool::protobuf
