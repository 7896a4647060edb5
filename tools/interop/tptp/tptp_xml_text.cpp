#include "tools/interop/tptp/tptp_xml_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

namespace ringside::tool::tptp {
namespace {

// The escape for a byte in the value of an attribute; empty: the byte itself.
constexpr std::array<std::string_view, 128> kEscapes = [] {
  std::array<std::string_view, 128> escapes{};
  for (std::size_t c = 0; c < 0x20; ++c) escapes[c] = "\xEF\xBF\xBD";
  escapes['\t'] = "&#9;";
  escapes['\n'] = "&#10;";
  escapes['\r'] = "&#13;";
  escapes['"'] = "&quot;";
  escapes['&'] = "&amp;";
  escapes['<'] = "&lt;";
  escapes['>'] = "&gt;";
  return escapes;
}();

// U+FFFE and U+FFFF, which XML does not permit either.
bool is_no_character(std::string_view text, std::size_t at) {
  return text.size() - at >= 3 && text.compare(at, 2, "\xEF\xBF") == 0 &&
         (text[at + 2] == '\xBE' || text[at + 2] == '\xBF');
}

template <class Number>
void append_decimal(std::string& out, Number number) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  out.append(digits.begin(), end);
}

// Whether all of it could be represented.
bool append_escaped(std::string& out, std::string_view text) {
  bool whole = true;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    std::string_view escape;
    std::size_t bytes = 1;
    if (c < kEscapes.size()) {
      escape = kEscapes[c];
    } else if (c == 0xEF && is_no_character(text, i)) {
      escape = kEscapes[0];
      bytes = 3;
    }
    if (escape.empty()) continue;
    whole = whole && escape != kEscapes[0];
    out.append(text, begin, i - begin);
    out += escape;
    i += bytes - 1;
    begin = i + 1;
  }
  out.append(text, begin, text.size() - begin);
  return whole;
}

void append_name(std::string& out, std::string_view name) {
  out += ' ';
  out += name;
  out += "=\"";
}

std::uint64_t append_frames(std::string& out, const Message& message) {
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < message.frame_methods.size(); ++i) {
    out += "<frame method=\"";
    if (!append_escaped(out, message.frame_methods[i])) ++changed;
    out += "\" line=\"";
    append_decimal(out, message.frame_lines[i]);
    out += "\"/>";
  }
  return changed;
}

}  // namespace

void append_time(std::string& out, const Time& time) {
  if (time.negative) out += '-';
  append_decimal(out, time.seconds);
  std::array<char, 10> fraction;
  std::uint32_t rest = time.nanoseconds;
  for (std::size_t i = fraction.size() - 1; i > 0; --i) {
    fraction[i] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  }
  fraction[0] = '.';
  out.append(fraction.data(), fraction.size());
}

std::uint64_t append_xml(std::string& out, const Message& message) {
  const MessageType& type = *message.type;
  std::uint64_t changed = 0;
  out += '<';
  out += type.tag;
  for (std::size_t i = 0; i < type.attributes.size(); ++i) {
    const Attribute& attribute = type.attributes[i];
    if (attribute.type == AttributeType::kText) {
      if (!attribute.used && message.texts[i].empty()) continue;
      append_name(out, attribute.xml);
      if (!append_escaped(out, message.texts[i])) ++changed;
      out += '"';
      continue;
    }
    if (attribute.type == AttributeType::kTexts || attribute.type == AttributeType::kLongs)
      continue;
    if (!attribute.used && message.numbers[i] == 0) continue;
    append_name(out, attribute.xml);
    if (i == type.time) {
      append_time(out, message.time);
    } else {
      append_decimal(out, message.numbers[i]);
    }
    out += '"';
  }
  if (message.frame_methods.empty()) {
    out += "/>";
    return changed;
  }
  out += '>';
  changed += append_frames(out, message);
  out += "</";
  out += type.tag;
  out += '>';
  return changed;
}

}  // namespace ringside::tool::tptp
