// Texts that could control a terminal.
#include "trace-format/lines/visible_text.hpp"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "trace-format/lines/utf8.hpp"

namespace ringside::tool {
namespace {

using namespace std::string_literals;

TEST(VisibleText, LeavesWhatIsPrintable) {
  for (const std::string text :
       {"", "a", "plain text", "a\ttab", "na\u00EFve \u65E5\u672C \U0001F600", "\\x1b", "\u00A0"}) {
    EXPECT_EQ(trace::visible(text), text);
  }
}

TEST(VisibleText, ShowsControlCharactersAndInvalidBytes) {
  EXPECT_EQ(trace::visible("\x1b[2J\x1b]0;title\a"), "\\x1b[2J\\x1b]0;title\\x07");
  EXPECT_EQ(trace::visible("two\nlines\r\n"), "two\\nlines\\r\\n");
  EXPECT_EQ(trace::visible("\0\x7f"s), "\\x00\\x7f");
  EXPECT_EQ(trace::visible("\xC2\x9B"
                           "31m"),
            "\\xc2\\x9b31m")
      << "CSI in one character";
  EXPECT_EQ(trace::visible("\x9b\xff\xC3"), "\\x9b\\xff\\xc3");
  EXPECT_EQ(trace::visible("\xC0\x9B \xE0\x80\x9B \xED\xA0\x80 \xF5\x80\x80\x80"),
            "\\xc0\\x9b \\xe0\\x80\\x9b \\xed\\xa0\\x80 \\xf5\\x80\\x80\\x80")
      << "overlong forms, a surrogate, too large";
}

TEST(VisibleText, ChangesTheEndOfASinkOnly) {
  trace::TextSink out;
  out.write("\x1b");
  out.write("a\nb");
  trace::make_visible(out, 1);
  EXPECT_EQ(out.text(),
            "\x1b"
            "a\\nb");
}

TEST(VisibleText, FindsAnyOddByteAtAnyPlace) {
  for (std::size_t size = 1; size < 40; ++size) {
    const std::string plain(size, '~');
    EXPECT_TRUE(trace::is_printable_ascii(plain));
    for (std::size_t at = 0; at < size; ++at) {
      for (unsigned code = 0; code < 256; ++code) {
        std::string text = plain;
        text[at] = static_cast<char>(code);
        ASSERT_EQ(trace::is_printable_ascii(text), code >= 0x20 && code < 0x7F)
            << size << " " << at << " " << code;
      }
    }
  }
}

TEST(VisibleText, IsWellFormedAndWithoutControlCharactersWhateverTheBytes) {
  std::mt19937_64 any(11);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(any() % 24, '\0');
    for (char& c : bytes) c = static_cast<char>(any() % 3 == 0 ? 0xC0 + any() % 64 : any() % 256);
    const std::string text = trace::visible(bytes);
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t sequence = trace::utf8_sequence_bytes(rest);
      ASSERT_NE(sequence, 0U) << text;
      ASSERT_TRUE(rest[0] == '\t' || !trace::is_control_character(rest.substr(0, sequence)))
          << text;
      rest.remove_prefix(sequence);
    }
  }
}

}  // namespace
}  // namespace ringside::tool
