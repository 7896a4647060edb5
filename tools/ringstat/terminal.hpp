#pragma once
// The terminal that ringstat draws on, through ncurses.

#include <ncurses.h>
#include <string>
#include <string_view>

#include "tools/ringstat/status_text.hpp"

namespace ringside::tool {

// The constructor takes the terminal, and the destructor restores it; one object at a time. No
// colours if NO_COLOR is set and not empty (https://no-color.org), or if the terminal has none.
class Terminal {
 public:
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // Why the terminal cannot be drawn on, which depends on TERM; empty if it can.
  std::string fault() const;

  attr_t attribute(Tone tone) const;

  // Writes UTF-8 text at a position, at most `room` characters; if the locale only has ASCII
  // characters, writes "?" for each other one.
  static void put(int line, int column, std::string_view text, attr_t attribute, int room);

 private:
  SCREEN* screen_ = nullptr;
  bool colored_ = false;
};

}  // namespace ringside::tool
