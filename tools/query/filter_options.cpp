#include "tools/query/filter_options.hpp"

#include <CLI/CLI.hpp>

namespace ringside::tool {

namespace {

constexpr const char* kGroup = "Select records";

void add_text(CLI::App& app, const char* name, std::string& value, const char* type,
              const char* help) {
  app.add_option(name, value, help)->type_name(type)->group(kGroup);
}

void add_globs(CLI::App& app, const char* name, std::vector<std::string>& value, const char* type,
               const char* help) {
  app.add_option(name, value, help)
      ->type_name(type)
      ->group(kGroup)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace

std::vector<std::string> given_filters(const FilterOptions& options) {
  std::vector<std::string> given;
  const auto add = [&given](const char* name, const std::string& value) {
    if (!value.empty()) given.push_back(std::string(name) + " " + value);
  };
  const auto add_each = [&add](const char* name, const std::vector<std::string>& values) {
    for (const std::string& value : values) add(name, value);
  };
  add("--since", options.since);
  add("--until", options.until);
  add("--level", options.level);
  add_each("--category", options.categories);
  add_each("--thread", options.threads);
  add_each("--service", options.services);
  add("--grep", options.grep);
  add("--where", options.where);
  add_each("--site", options.sites);
  if (options.no_losses) given.emplace_back("--no-losses");
  return given;
}

void add_record_filter_options(CLI::App& app, FilterOptions& options) {
  add_text(app, "--since", options.since, "TIME",
           "records since this time: 2026-11-20T21:35:16Z, '2026-11-20 21:35', 21:35 (today), -5m "
           "(5 minutes ago; ms, s, m, h, d), now, @1763674516.5 (Unix seconds)");
  add_text(app, "--until", options.until, "TIME", "records before this time");
  add_text(app, "--level", options.level, "LEVEL[+]",
           "records of at least this level: trace, debug, info, notice, warning, error, critical");
  add_globs(app, "--category", options.categories, "GLOB", "records of this category");
  add_globs(app, "--thread", options.threads, "ID|GLOB", "records of threads with this id or name");
  add_globs(app, "--service", options.services, "GLOB", "records of this service");
  add_text(app, "--grep", options.grep, "REGEX",
           "records whose message matches this regular expression (RE2)");
  add_text(app, "--where", options.where, "EXPR",
           "records whose fields meet this condition: qty > 100 && side == \"B\"");
}

void add_filter_options(CLI::App& app, FilterOptions& options) {
  add_record_filter_options(app, options);
  add_globs(app, "--site", options.sites, "GLOB",
            "records of statements with this name, file, FILE:LINE or format text (without * ? [ a "
            "part of the format is enough)");
  app.add_flag("--no-losses", options.no_losses, "do not print where records were dropped")
      ->group(kGroup);
}

void add_statement_filter_options(CLI::App& app, FilterOptions& options) {
  add_globs(app, "--site", options.sites, "GLOB",
            "statements with this name, file, FILE:LINE or format text (without * ? [ a part of "
            "the format is enough)");
  add_text(app, "--level", options.level, "LEVEL[+]",
           "statements of at least this level: trace, debug, info, notice, warning, error, "
           "critical");
  add_globs(app, "--category", options.categories, "GLOB", "statements of this category");
  add_globs(app, "--service", options.services, "GLOB", "statements of this service");
}

}  // namespace ringside::tool
