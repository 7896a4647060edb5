#include "tools/ringctl/statement_choice.hpp"

#include <CLI/CLI.hpp>

#include "tools/live/statement_list.hpp"

namespace ringside::tool {
namespace {

constexpr const char* kStatementGroup = "Select statements";

}  // namespace

void StatementChoice::add_options(CLI::App& app, bool positional) {
  const auto globs = [&app](const char* name, std::vector<std::string>& value, const char* help) {
    app.add_option(name, value, help)
        ->type_name("GLOB")
        ->group(kStatementGroup)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  if (positional) {
    app.add_option("STATEMENT", pattern_.sites, "same as --site");
  }
  globs("--site", pattern_.sites,
        "statements with this name, file, FILE:LINE or format text (without * ? [ a part of the "
        "format is enough)");
  globs("--file", pattern_.files, "statements in this file, with or without folders");
  globs("--function", pattern_.functions, "statements in this function");
  globs("--category", pattern_.categories, "statements of this category");
  app.add_option("--keyword", pattern_.keywords,
                 "statements with any of these keyword bits, such as 0x10")
      ->type_name("MASK")
      ->group(kStatementGroup)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--of-level", pattern_.level,
                 "statements of this level; with + also of more severe levels")
      ->type_name("LEVEL[+]")
      ->group(kStatementGroup);
  app.add_option(
         "--regex", pattern_.regex,
         "statements whose format, name, place or function matches this regular expression (RE2)")
      ->type_name("REGEX")
      ->group(kStatementGroup);
}

bool StatementChoice::prepare(std::string* why) {
  return pattern_.prepare(why, {"--keyword", "--of-level", "--regex"});
}

bool StatementChoice::wants(const ListedStatement& statement) const {
  return pattern_.fits({statement.level, statement.line, statement.keywords, statement.name,
                        statement.category, statement.format, statement.file, statement.function});
}

}  // namespace ringside::tool
