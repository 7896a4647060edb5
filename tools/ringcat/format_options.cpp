#include "tools/ringcat/format_options.hpp"

#include <CLI/CLI.hpp>

#include "tools/query/standard_streams.hpp"
#include "tools/text/csv_lines.hpp"
#include "tools/text/json_lines.hpp"
#include "tools/text/logfmt_lines.hpp"
#include "tools/text/template_lines.hpp"
#include "tools/text/text_lines.hpp"

namespace ringside::tool {

void add_format_options(CLI::App& app, FormatOptions& options) {
  options.format = "text";
  app.add_option("--format", options.format, "what a record becomes")
      ->check(CLI::IsMember({"text", "json", "csv", "logfmt"}))
      ->capture_default_str();
  app.add_option("--columns", options.columns,
                 "of csv: names as in --template, or of fields, such as time,level,qty,msg")
      ->type_name("NAME[,NAME...]");
  app.add_option("--template", options.line_template,
                 "lines like '{time} {level:<8} {field:qty:>10} {msg}'; {{ and }} are braces. "
                 "Names: " +
                     column_names() + ", field:NAME");
  app.add_flag(
      "--raw", options.raw,
      "control characters and invalid UTF-8 in texts as they are, and a terminal obeys them; "
      "else they show as \\n and \\x1b");
}

std::unique_ptr<const LineFormat> make_line_format(const FormatOptions& options, bool color,
                                                   std::string* why) {
  if (!options.columns.empty() && options.format != "csv") {
    *why = "--columns belongs to --format csv; add it, or use --template";
    return nullptr;
  }
  if (!options.line_template.empty()) {
    if (options.format != "text") {
      *why = "--template and --format " + options.format + " are two formats; omit one";
      return nullptr;
    }
    return TemplateLines::make(options.line_template, options.raw, why);
  }
  if (options.raw && options.format != "text") {
    *why = "--raw has no meaning with --format " + options.format +
           ", which escapes what has to be; omit it";
    return nullptr;
  }
  if (options.format == "json") return std::make_unique<JsonLines>();
  if (options.format == "logfmt") return std::make_unique<LogfmtLines>();
  if (options.format == "csv") {
    return CsvLines::make(options.columns.empty() ? kDefaultCsvColumns : options.columns,
                          output_is_terminal(), why);
  }
  return std::make_unique<TextLines>(options.raw, color);
}

}  // namespace ringside::tool
