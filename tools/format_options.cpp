#include "tools/format_options.hpp"

#include <CLI/CLI.hpp>

#include "tools/json_lines.hpp"
#include "tools/text_lines.hpp"

namespace ringside::tool {

void add_format_options(CLI::App& app, FormatOptions& options) {
  options.format = "text";
  app.add_option("--format", options.format, "what a record becomes, see the README of ringcat")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.add_flag("--raw", options.raw,
               "control characters and invalid UTF-8 in texts as they are; else they show as \\n "
               "and \\x1b, and a terminal does not obey them");
}

std::unique_ptr<const LineFormat> make_line_format(const FormatOptions& options, bool color,
                                                   std::string* why) {
  if (options.format == "json") {
    if (options.raw) {
      *why = "--raw has no meaning with --format json, which escapes what has to be; omit it";
      return nullptr;
    }
    return std::make_unique<JsonLines>();
  }
  return std::make_unique<TextLines>(options.raw, color);
}

}  // namespace ringside::tool
