#include "tools/interop/tptp/xml_characters.hpp"

#include <cstdint>

#include "tools/text/utf8.hpp"

namespace ringside::tool {
namespace {

constexpr std::uint32_t kNone = 0x110000;
constexpr std::size_t kMostReferenceBytes = 12;

bool is_xml_character(std::uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return code < 0xD800 || (code > 0xDFFF && code < 0xFFFE) || (code > 0xFFFF && code < kNone);
}

void append_character(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  const int followers = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::uint32_t kFirst[] = {0, 0xC0, 0xE0, 0xF0};
  put(kFirst[followers] | code >> 6 * followers);
  for (int i = followers - 1; i >= 0; --i) put(0x80 | (code >> 6 * i & 0x3F));
}

// "10" or "xA"; kNone: not a character of XML.
std::uint32_t referred(std::string_view digits) {
  const bool is_hex = digits.starts_with('x');
  if (is_hex) digits.remove_prefix(1);
  if (digits.empty() || digits.size() > 8) return kNone;
  std::uint32_t code = 0;
  for (const char c : digits) {
    const bool is_digit = c >= '0' && c <= '9';
    const bool is_letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (!is_digit && !(is_hex && is_letter)) return kNone;
    code =
        code * (is_hex ? 16 : 10) + static_cast<std::uint32_t>(is_digit ? c - '0' : (c & 15) + 9);
    if (code >= kNone) return kNone;
  }
  return is_xml_character(code) ? code : kNone;
}

}  // namespace

std::size_t xml_character_bytes(std::string_view text) {
  const std::size_t bytes = utf8_sequence_bytes(text);
  const bool is_none =
      bytes == 3 && (text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF"));
  return is_none || bytes == 1 ? 0 : bytes;
}

bool append_xml_reference(std::string_view& left, std::string& out) {
  struct Entity {
    std::string_view reference;
    char character;
  };
  static constexpr Entity kEntities[] = {
      {"&quot;", '"'}, {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&apos;", '\''}};
  for (const Entity& entity : kEntities) {
    if (!left.starts_with(entity.reference)) continue;
    out += entity.character;
    left.remove_prefix(entity.reference.size());
    return true;
  }
  const std::size_t end = left.substr(0, kMostReferenceBytes).find(';');
  if (end == std::string_view::npos || !left.starts_with("&#")) return false;
  const std::uint32_t code = referred(left.substr(2, end - 2));
  if (code == kNone) return false;
  append_character(out, code);
  left.remove_prefix(end + 1);
  return true;
}

}  // namespace ringside::tool
