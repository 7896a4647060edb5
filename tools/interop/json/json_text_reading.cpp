#include "tools/interop/json/json_text_reading.hpp"

#include <charconv>
#include <cstdint>
#include <cstring>

#include "trace-format/lines/utf8.hpp"

namespace ringside::tool {
namespace {

char* put_utf8(std::uint32_t code, char* out) {
  const auto put = [&out](std::uint32_t byte) { *out++ = static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 63));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 63));
    put(0x80 | (code & 63));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 63));
    put(0x80 | (code >> 6 & 63));
    put(0x80 | (code & 63));
  }
  return out;
}

// Reads "\uXXXX" at `text`; false if it is not there.
bool take_escaped_code(const char* text, const char* end, std::uint32_t& code) {
  if (end - text < 6 || text[0] != '\\' || text[1] != 'u') return false;
  const auto read = std::from_chars(text + 2, text + 6, code, 16);
  return read.ec == std::errc() && read.ptr == text + 6;
}

// Reads one character: both surrogates if it has two.
const char* take_code(const char* text, const char* end, char*& out) {
  std::uint32_t code = 0;
  if (!take_escaped_code(text, end, code)) return nullptr;
  text += 6;
  std::uint32_t second = 0;
  if (code >= 0xD800 && code < 0xDC00 && take_escaped_code(text, end, second) && second >= 0xDC00 &&
      second < 0xE000) {
    code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);
    text += 6;
  }
  if (code >= 0xD800 && code < 0xE000) code = trace::kReplacementCharacter;
  out = put_utf8(code, out);
  return text;
}

}  // namespace

const char* append_unescaped(const char* text, const char* end, char*& out) {
  constexpr char kEscapes[] = "\"\\/bfnrt";
  constexpr char kMeanings[] = "\"\\/\b\f\n\r\t";
  while (text < end && *text != '"') {
    if (*text != '\\') {
      *out++ = *text++;
    } else if (end - text >= 2 && text[1] == 'u') {
      text = take_code(text, end, out);
      if (text == nullptr) return nullptr;
    } else {
      const char* const found =
          end - text >= 2 && text[1] != '\0' ? std::strchr(kEscapes, text[1]) : nullptr;
      if (found == nullptr) return nullptr;
      *out++ = kMeanings[found - kEscapes];
      text += 2;
    }
  }
  return text < end ? text : nullptr;
}

}  // namespace ringside::tool
