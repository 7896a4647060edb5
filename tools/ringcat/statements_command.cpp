#include "tools/ringcat/statements_command.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "shm-layout/format_style.hpp"
#include "tools/query/event_filter.hpp"
#include "tools/query/exit_codes.hpp"
#include "tools/query/filter_options.hpp"
#include "tools/query/standard_streams.hpp"
#include "tools/query/statement_counts.hpp"
#include "tools/ringcat/conversion_options.hpp"
#include "tools/ringcat/fleet_inputs.hpp"
#include "tools/ringcat/foreign_files.hpp"
#include "tools/ringcat/unknown_names.hpp"
#include "tools/text/help_format.hpp"
#include "tools/text/result_table.hpp"
#include "trace-format/condition/statement_pattern.hpp"
#include "trace-format/query/site_check.hpp"

namespace ringside::tool {
namespace {

using nlohmann::ordered_json;

struct StatementsOptions {
  std::vector<std::string> paths;
  std::string from;
  FleetOptions fleet;
  std::string format = "text";
  FilterOptions filter;
};

std::string_view level_of(const SourceStatement& source) {
  return shm::level_name(source.level);
}

std::string place_of(const SourceStatement& source, bool with_folders) {
  if (source.file.empty()) return "-:0";
  const std::string_view file = with_folders ? source.file : trace::without_folders(source.file);
  return fmt::format("{}:{}", file, source.line);
}

std::string as_table(const StatementCounts& counts, TableFormat format) {
  ResultTable table;
  table.set_columns({"records", "collected", "id", "level", "place", "service", "text", "fields"});
  for (const auto& [source, statement] : counts.statements()) {
    table.add_row({Cell::of_count(statement.records()), Cell::of_text(statement.collection.text()),
                   Cell::of_text(fmt::format("{}", fmt::join(statement.ids(), " "))),
                   Cell::of_text(level_of(source)),
                   Cell::of_text(place_of(source, format != TableFormat::kText)),
                   Cell::of_text(source.service),
                   Cell::of_text(source.format.empty() ? source.name : source.format),
                   Cell::of_text(statement.fields_text())});
  }
  return table.text(format, output_is_terminal());
}

ordered_json fields_json(const std::vector<ListedField>& fields) {
  ordered_json list = ordered_json::array();
  for (const ListedField& field : fields)
    list.push_back({{"name", field.name}, {"type", field.type}});
  return list;
}

std::string as_json(const StatementCounts& counts) {
  std::string lines;
  for (const auto& [source, statement] : counts.statements()) {
    ordered_json object;
    object["service"] = source.service;
    object["records"] = statement.records();
    object["collected"] = statement.collection.state();
    if (statement.collection.is_sampled()) object["sampled"] = true;
    if (!statement.collection.hidden_fields().empty()) {
      object["hidden"] = statement.collection.hidden_fields();
    }
    object["level"] = level_of(source);
    object["category"] = source.category;
    object["keywords"] = statement.keywords;
    object["name"] = source.name;
    object["file"] = source.file;
    object["line"] = source.line;
    object["function"] = statement.function;
    object["format"] = source.format;
    if (statement.style == static_cast<std::uint8_t>(shm::FormatStyle::brace))
      object["style"] = "brace";
    for (const auto& [fields, variant] : statement.variants) {
      object["variants"].push_back(
          {{"sites", variant.ids}, {"records", variant.records}, {"fields", fields_json(fields)}});
    }
    // Names come from services and need not be UTF-8.
    lines += object.dump(-1, ' ', true, ordered_json::error_handler_t::replace) + "\n";
  }
  return lines;
}

std::string listing(const StatementCounts& counts, const std::string& format) {
  if (format == "json") return as_json(counts);
  return as_table(counts, format == "csv" ? TableFormat::kCsv : TableFormat::kText);
}

}  // namespace

int run_statements(int argc, char** argv) {
  StatementsOptions options;
  CLI::App app(
      "Lists every log statement of the traces, also those that were never executed, with the\n"
      "number of its records.",
      "ringcat statements");
  app.add_option("PATH", options.paths,
                 "trace files, or directories of them, or - for standard input")
      ->required();
  add_from_option(app, options.from);
  add_fleet_options(app, options.fleet);
  add_statement_filter_options(app, options.filter);
  app.add_option("--format", options.format, "format of the output; json: one object per line")
      ->check(CLI::IsMember({"text", "json", "csv"}))
      ->capture_default_str();
  app.footer(
      "The column 'collected' shows whether a statement was enabled: on, off, counting, or at "
      "times;\n"
      "- in files before format 1.3. ringcat collected shows when, and who changed it.\n"
      "A statement of a header or a template is listed once, with the ids of all its copies.\n"
      "If the types of its fields differ, they are joined by |.\n"
      "\n"
      "  ringcat statements --site 'order filled' traces\n"
      "\n"
      "Exit status: 0 all read, 1 damage was skipped (see standard error), 2 invalid usage, or\n"
      "a name that no trace has, 3 nothing could be read, or nothing written.");
  set_help_format(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  std::string why;
  const auto filter = EventFilter::make(options.filter, 0, false, &why);
  if (!filter) {
    complain(why);
    return kExitUsage;
  }
  FleetInputs fleet_inputs;
  if (!fleet_inputs.take(options.paths, options.fleet)) return kExitUnreadable;
  ForeignInputs inputs;
  if (!take_foreign_files(options.paths, options.from, inputs)) return kExitUnreadable;
  const auto unknown = find_unknown_names(options.paths, {options.filter, {}, {}, {}}).unknown;
  for (const std::string& what : unknown) complain(what);
  if (!unknown.empty()) return kExitUsage;
  trace::ReadError error;
  const auto files = trace::query::files_of(options.paths, &error);
  if (!files) {
    complain(error.text());
    return kExitUnreadable;
  }
  trace::CollectionHistory history;
  for (const std::string& file : *files) {
    if (history.add(file, &error)) continue;
    complain(error.text());
    return kExitUnreadable;
  }
  history.finish();
  StatementCounts counts(&history);
  for (const std::string& file : *files) {
    if (counts.add(file, filter->scope(), &error)) continue;
    complain(error.text());
    return kExitUnreadable;
  }
  if (!write_output(listing(counts, options.format))) return exit_code_of_failed_output(errno);
  const int exit_code =
      std::max(complain_of_damage(counts.report()), complain_of_damage(history.report()));
  return std::max({exit_code, complain_of(inputs.diagnostics()), fleet_inputs.exit_code()});
}

}  // namespace ringside::tool
