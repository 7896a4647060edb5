#include "tools/ringctl/statement_choice.hpp"

#include <CLI/CLI.hpp>

#include "tools/live/statement_list.hpp"

namespace ringside::tool {
namespace {

constexpr const char* kStatementGroup = "Which statements";

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
    app.add_option("STATEMENT", pattern_.sites, "the same as --site");
  }
  globs(
      "--site", pattern_.sites,
      "of this name, file, FILE:LINE or format text (without * ? [ a part of the format will do)");
  globs("--file", pattern_.files, "of this file, with or without folders");
  globs("--function", pattern_.functions, "of this function");
  globs("--category", pattern_.categories, "of this category");
  app.add_option("--keyword", pattern_.keywords, "with any of these bits of keywords, such as 0x10")
      ->type_name("MASK")
      ->group(kStatementGroup)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--of-level", pattern_.level, "of this level, or with + of this and severer ones")
      ->type_name("LEVEL[+]")
      ->group(kStatementGroup);
  app.add_option("--regex", pattern_.regex,
                 "in whose format, name, place or function this expression (RE2) is found")
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
