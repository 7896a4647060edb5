#pragma once
// The options that say which events are wanted, for all subcommands that have them.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ringside::tool {

// As typed; empty: not given. Of several globs one has to fit.
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
};

// All of them. `options` must outlive the parsing.
void add_filter_options(CLI::App& app, FilterOptions& options);
// Those that say which records of sites chosen otherwise.
void add_record_filter_options(CLI::App& app, FilterOptions& options);

}  // namespace ringside::tool
