#include "tools/query/filter_options.hpp"

#include <CLI/CLI.hpp>

namespace ringside::tool {

namespace {

constexpr const char* kGroup = "Which records";

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

void add_record_filter_options(CLI::App& app, FilterOptions& options) {
  add_text(app, "--since", options.since, "TIME",
           "from this time on: 2026-11-20T21:35:16Z, '2026-11-20 21:35', 21:35 (today), -5m (ago; "
           "ms, s, m, h, d), now, @1763674516.5 (Unix seconds)");
  add_text(app, "--until", options.until, "TIME", "before this time");
  add_text(
      app, "--level", options.level, "LEVEL[+]",
      "of this level or a more severe one: trace, debug, info, notice, warning, error, critical");
  add_globs(app, "--category", options.categories, "GLOB", "of this category");
  add_globs(app, "--thread", options.threads, "ID|GLOB", "of the thread of this id or name");
  add_globs(app, "--service", options.services, "GLOB", "of this service");
  add_text(app, "--grep", options.grep, "REGEX",
           "whose message matches this regular expression (RE2)");
  add_text(app, "--where", options.where, "EXPR",
           "that meet a condition on their fields: qty > 100 && side == \"B\"");
}

void add_filter_options(CLI::App& app, FilterOptions& options) {
  add_record_filter_options(app, options);
  add_globs(app, "--site", options.sites, "GLOB",
            "of statements with this name, file, FILE:LINE or format text (without * ? [ a part "
            "of the format will do)");
  app.add_flag("--no-losses", options.no_losses, "without the places where records were dropped")
      ->group(kGroup);
}

}  // namespace ringside::tool
