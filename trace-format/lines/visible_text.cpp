#include "trace-format/lines/visible_text.hpp"

#include "trace-format/lines/hex_digits.hpp"
#include "trace-format/lines/utf8.hpp"

namespace ringside::trace {
namespace {

void append_visible(TextSink& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = utf8_sequence_bytes(text);
    const std::string_view character = text.substr(0, bytes == 0 ? 1 : bytes);
    text.remove_prefix(character.size());
    if (character == "\n") {
      out.write("\\n");
    } else if (character == "\r") {
      out.write("\\r");
    } else if (character == "\t" || (bytes != 0 && !is_control_character(character))) {
      out.write(character);
    } else {
      for (const char byte : character) {
        const auto bits = static_cast<unsigned char>(byte);
        out.write("\\x");
        out.put(kHexDigits[bits >> 4]);
        out.put(kHexDigits[bits & 15]);
      }
    }
  }
}

}  // namespace

void make_visible(TextSink& out, std::size_t begin) {
  if (is_printable_ascii(out.text().substr(begin))) return;
  const std::string text(out.text().substr(begin));
  out.take_back(text.size());
  append_visible(out, text);
}

std::string visible(std::string_view text) {
  if (is_printable_ascii(text)) return std::string(text);
  TextSink out;
  append_visible(out, text);
  return std::string(out.text());
}

}  // namespace ringside::trace
