#pragma once
// The part of ringcat's command line that chooses what lines look like.

#include <memory>
#include <string>

#include "tools/line_format.hpp"

namespace CLI {
class App;
}

namespace ringside::tool {

struct FormatOptions {
  std::string format;         // one of a few words
  std::string columns;        // of csv; empty: the usual ones
  std::string line_template;  // instead of a format, if any
  bool raw = false;
};

void add_format_options(CLI::App& app, FormatOptions& options);

// `color` is for what has colours. Null with `*why` if the options contradict one another or are
// not sound.
std::unique_ptr<const LineFormat> make_line_format(const FormatOptions& options, bool color,
                                                   std::string* why);

}  // namespace ringside::tool
