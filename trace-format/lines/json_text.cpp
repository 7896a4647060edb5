#include "trace-format/lines/json_text.hpp"

#include "trace-format/lines/hex_digits.hpp"
#include "trace-format/lines/utf8.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::trace {
namespace {

bool stands_for_itself(char character) {
  const auto code = static_cast<unsigned char>(character);
  return code >= 0x20 && code < 0x7F && character != '"' && character != '\\';
}

void append_control_character(TextSink& out, std::string_view character) {
  if (character == "\n") return out.write("\\n");
  if (character == "\r") return out.write("\\r");
  if (character == "\t") return out.write("\\t");
  // U+0080 to U+009F have their code in the second byte.
  const auto code = static_cast<unsigned char>(character.back());
  out.write("\\u00");
  out.put(kHexDigits[code >> 4]);
  out.put(kHexDigits[code & 15]);
}

}  // namespace

void append_json_text(TextSink& out, std::string_view text) {
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && stands_for_itself(text[plain])) ++plain;
    out.write(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) return;
    const std::size_t bytes = utf8_sequence_bytes(text);
    const std::string_view character =
        text.substr(0, bytes == 0 ? utf8_unsound_bytes(text) : bytes);
    text.remove_prefix(character.size());
    if (bytes == 0) {
      out.write("\xEF\xBF\xBD");
    } else if (is_control_character(character)) {
      append_control_character(out, character);
    } else {
      if (bytes == 1) out.put('\\');
      out.write(character);
    }
  }
}

void make_json_text(TextSink& out, std::size_t begin) {
  const std::string_view written = out.text().substr(begin);
  if (is_printable_ascii(written) && written.find_first_of("\"\\") == std::string_view::npos) {
    return;
  }
  const std::string text(written);
  out.take_back(text.size());
  append_json_text(out, text);
}

std::string json_text(std::string_view text) {
  TextSink out;
  append_json_text(out, text);
  return std::string(out.text());
}

std::string quoted_json_text(std::string_view text) {
  return '"' + json_text(text) + '"';
}

}  // namespace ringside::trace
