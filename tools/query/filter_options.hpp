#pragma once
// The options that select events, for all subcommands that have them.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ringside::tool {

// As typed; empty: not given. If an option has several globs, one must match.
struct FilterOptions {
  std::string since;
  std::string until;
  std::string level;
  std::vector<std::string> categories;
  std::vector<std::string> sites;
  std::vector<std::string> threads;
  std::vector<std::string> services;
  std::string grep;
  std::string where;
  bool no_losses = false;

  bool operator==(const FilterOptions&) const = default;
};

// Those that are given, as typed: "--level warning".
std::vector<std::string> given_filters(const FilterOptions& options);

// Adds all of them. `options` must outlive the parsing.
void add_filter_options(CLI::App& app, FilterOptions& options);
// Adds those that select records of sites that are chosen otherwise.
void add_record_filter_options(CLI::App& app, FilterOptions& options);
// Adds those that select statements, by --site, --level, --category and --service.
void add_statement_filter_options(CLI::App& app, FilterOptions& options);

}  // namespace ringside::tool
