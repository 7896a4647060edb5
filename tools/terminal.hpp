#pragma once
// The terminal that ringstat draws on, by ncurses.

#include <ncurses.h>
#include <string>
#include <string_view>

#include "tools/status_text.hpp"

namespace ringside::tool {

// Taken by the constructor and given back in order by the destructor; one at a time. No colours if
// NO_COLOR is set and not empty (https://no-color.org), or the terminal has none.
class Terminal {
 public:
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // Why it cannot be drawn on, of which TERM is the cause; empty if it can.
  std::string fault() const;

  attr_t attribute(Tone tone) const;

  // UTF-8 text from a place on, at most `room` characters; where the locale has no others than
  // ASCII, "?" for each of those.
  static void put(int line, int column, std::string_view text, attr_t attribute, int room);

 private:
  SCREEN* screen_ = nullptr;
  bool colored_ = false;
};

}  // namespace ringside::tool
