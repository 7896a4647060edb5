#include "tools/ringcat/format_options.hpp"

#include <cstdint>

#include <CLI/CLI.hpp>

#include "tools/query/standard_streams.hpp"
#include "tools/text/csv_lines.hpp"
#include "tools/text/json_lines.hpp"
#include "tools/text/logfmt_lines.hpp"
#include "trace-format/lines/template_lines.hpp"
#include "trace-format/lines/text_lines.hpp"

namespace ringside::tool {

void add_format_options(CLI::App& app, FormatOptions& options) {
  options.format = "text";
  app.add_option("--format", options.format, "format of the output")
      ->check(CLI::IsMember({"text", "json", "csv", "logfmt"}))
      ->capture_default_str();
  app.add_option(
         "--columns", options.columns,
         "columns of csv: names as in --template or names of fields, such as time,level,qty,msg")
      ->type_name("NAME[,NAME...]");
  app.add_option("--template", options.line_template,
                 "format of a line, such as '{time} {level:<8} {field:qty:>10} {msg}'; write {{ "
                 "and }} for braces. Names: " +
                     trace::column_names() + ", field:NAME");
  app.add_option("--show", options.shown,
                 "end lines of text with these properties, as name=value, if the record has them: "
                 "all, or names out of those of --where, such as duration_ns,activity")
      ->type_name("NAME[,NAME...]");
  app.add_flag("--raw", options.raw,
               "print control characters and invalid UTF-8 unchanged (a terminal interprets them); "
               "default: escaped as \\n and \\x1b");
}

std::unique_ptr<const trace::LineFormat> make_line_format(const FormatOptions& options, bool color,
                                                          std::string* why) {
  if (!options.columns.empty() && options.format != "csv") {
    *why = "--columns requires --format csv; add it, or use --template";
    return nullptr;
  }
  if (!options.shown.empty() && (options.format != "text" || !options.line_template.empty())) {
    *why = options.format == "text"
               ? "--show and --template exclude each other; name the properties in the template"
           : options.format == "csv"
               ? "--show requires --format text; use --columns for csv"
               : "--show requires --format text; " + options.format + " shows all properties";
    return nullptr;
  }
  if (!options.line_template.empty()) {
    if (options.format != "text") {
      *why = "--template and --format " + options.format + " exclude each other; omit one";
      return nullptr;
    }
    return trace::TemplateLines::make(options.line_template, options.raw, why);
  }
  if (options.raw && options.format != "text") {
    *why =
        "--raw has no effect with --format " + options.format + ", which always escapes; omit it";
    return nullptr;
  }
  if (options.format == "json") return std::make_unique<JsonLines>();
  if (options.format == "logfmt") return std::make_unique<LogfmtLines>();
  if (options.format == "csv") {
    return CsvLines::make(options.columns.empty() ? kDefaultCsvColumns : options.columns,
                          output_is_terminal(), why);
  }
  std::uint32_t shown = 0;
  if (!options.shown.empty()) {
    const auto parsed = trace::parse_shown(options.shown, why);
    if (!parsed) return nullptr;
    shown = *parsed;
  }
  return std::make_unique<trace::TextLines>(options.raw, color, shown);
}

}  // namespace ringside::tool
