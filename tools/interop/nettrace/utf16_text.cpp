#include "tools/interop/nettrace/utf16_text.hpp"

#include <cstdint>

#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/lines/utf8.hpp"

namespace ringside::tool {
namespace {

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xE0 | code >> 12);
    } else {
      put(0xF0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3F));
    }
    put(0x80 | (code >> 6 & 0x3F));
  }
  put(0x80 | (code & 0x3F));
}

void append_unit(std::string& out, std::uint32_t unit) {
  out += static_cast<char>(unit & 0xFF);
  out += static_cast<char>(unit >> 8);
}

std::uint32_t code_of(std::string_view sequence) {
  const auto at = [sequence](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(sequence[i]));
  };
  std::uint32_t code = at(0) & (0xFFU >> (sequence.size() + 1));
  for (std::size_t i = 1; i < sequence.size(); ++i) code = code << 6 | (at(i) & 0x3F);
  return code;
}

}  // namespace

bool append_utf8_of_utf16(std::string& out, std::span<const std::byte> units) {
  bool sound = true;
  for (std::size_t i = 0; i + 1 < units.size(); i += 2) {
    std::uint32_t code = trace::load<std::uint16_t>(units.data() + i);
    if (code < 0x80) [[likely]] {
      out += static_cast<char>(code);
      continue;
    }
    if (code >= 0xD800 && code < 0xE000) {
      const std::uint32_t second = i + 3 < units.size()
                                       ? trace::load<std::uint16_t>(units.data() + i + 2)
                                       : std::uint16_t{0};
      if (code < 0xDC00 && second >= 0xDC00 && second < 0xE000) {
        code = 0x10000 + ((code & 0x3FF) << 10 | (second & 0x3FF));
        i += 2;
      } else {
        code = trace::kReplacementCharacter;
        sound = false;
      }
    }
    append_utf8(out, code);
  }
  return sound;
}

bool append_utf16_of_utf8(std::string& out, std::string_view text) {
  bool sound = true;
  while (!text.empty()) {
    const std::size_t bytes = trace::utf8_sequence_bytes(text);
    if (bytes == 1) [[likely]] {
      out += text.front();
      out += '\0';
      text.remove_prefix(1);
      continue;
    }
    std::uint32_t code = trace::kReplacementCharacter;
    if (bytes == 0) {
      sound = false;
      text.remove_prefix(trace::utf8_unsound_bytes(text));
    } else {
      code = code_of(text.substr(0, bytes));
      text.remove_prefix(bytes);
    }
    if (code >= 0x10000) {
      append_unit(out, 0xD800 | (code - 0x10000) >> 10);
      append_unit(out, 0xDC00 | (code & 0x3FF));
    } else {
      append_unit(out, code);
    }
  }
  return sound;
}

std::size_t utf16_text_bytes(std::span<const std::byte> bytes) {
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    if (trace::load<std::uint16_t>(bytes.data() + i) == 0) return i;
  }
  return kNoUtf16End;
}

}  // namespace ringside::tool
