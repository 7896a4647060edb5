#pragma once
// The options of ringcat that select the form of lines.

#include <memory>
#include <string>

#include "trace-format/lines/line_format.hpp"

namespace CLI {
class App;
}

namespace ringside::tool {

struct FormatOptions {
  std::string format;         // one of the format names
  std::string columns;        // for csv; empty: the default columns
  std::string line_template;  // replaces the format, if not empty
  std::string shown;          // properties that text lines end with
  bool raw = false;
};

void add_format_options(CLI::App& app, FormatOptions& options);

// `color` applies to formats with colours. Null with `*why` if options contradict one another or
// are invalid.
std::unique_ptr<const trace::LineFormat> make_line_format(const FormatOptions& options, bool color,
                                                          std::string* why);

}  // namespace ringside::tool
