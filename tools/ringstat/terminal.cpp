#include "tools/ringstat/terminal.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {
namespace {

constexpr short kGreen = 1;
constexpr short kYellow = 2;
constexpr short kRed = 3;
constexpr int kEscapeDelayMs = 25;  // later bytes are not part of a key's sequence

// At most `columns` characters of `text`.
std::string_view cut(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  for (std::size_t seen = 0; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80 && seen++ == columns) break;
  }
  return text.substr(0, at);
}

}  // namespace

// newterm(), because initscr() ends the process if it does not know the terminal.
Terminal::Terminal() : screen_(newterm(nullptr, stdout, stdin)) {
  if (screen_ == nullptr) return;
  cbreak();
  noecho();
  keypad(stdscr, TRUE);
  set_escdelay(kEscapeDelayMs);
  curs_set(0);
  const char* const no_color =
      std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe): no code sets variables
  colored_ = (no_color == nullptr || *no_color == '\0') && has_colors();
  if (!colored_) return;
  start_color();
  use_default_colors();
  init_pair(kGreen, COLOR_GREEN, -1);
  init_pair(kYellow, COLOR_YELLOW, -1);
  init_pair(kRed, COLOR_RED, -1);
}

Terminal::~Terminal() {
  if (screen_ == nullptr) return;
  endwin();
  delscreen(screen_);
}

std::string Terminal::fault() const {
  char cursor_address[] = "cup";
  if (screen_ != nullptr && tigetstr(cursor_address) != nullptr) return {};
  const char* const type = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe)
  return std::string("terminal type \"") + (type != nullptr ? type : "") + "\" (TERM) " +
         (screen_ == nullptr ? "is unknown" : "cannot position the cursor") +
         "; use --once to print text";
}

attr_t Terminal::attribute(Tone tone) const {
  switch (tone) {
    case Tone::kPlain:
      return A_NORMAL;
    case Tone::kGood:
      return colored_ ? static_cast<attr_t>(COLOR_PAIR(kGreen)) : A_NORMAL;
    case Tone::kWarning:
      return colored_ ? static_cast<attr_t>(COLOR_PAIR(kYellow)) : A_BOLD;
    case Tone::kBad:
      return colored_ ? static_cast<attr_t>(COLOR_PAIR(kRed)) | A_BOLD : A_BOLD;
    case Tone::kFaint:
      return colored_ ? A_DIM : A_NORMAL;
  }
  return A_NORMAL;
}

void Terminal::put(int line, int column, std::string_view text, attr_t attribute, int room) {
  if (room <= 0) return;
  std::string part(cut(text, static_cast<std::size_t>(room)));
  if (MB_CUR_MAX == 1 && !trace::is_printable_ascii(part)) {
    std::erase_if(part, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; });
    std::replace_if(
        part.begin(), part.end(), [](char c) { return (c & 0x80) != 0; }, '?');
  }
  attron(attribute);
  mvaddnstr(line, column, part.data(), static_cast<int>(part.size()));
  attroff(attribute);
}

}  // namespace ringside::tool
