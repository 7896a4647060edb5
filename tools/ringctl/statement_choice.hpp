#pragma once
// The options that select statements of a service.

#include <string>

#include "trace-format/condition/statement_pattern.hpp"

namespace CLI {
class App;
}

namespace ringside::tool {

struct ListedStatement;

class StatementChoice {
 public:
  // With `positional`, globs may also be given without an option, like --site.
  void add_options(CLI::App& app, bool positional);

  // Call after the command line was read. False with `*why` if an argument is invalid.
  bool prepare(std::string* why);

  bool empty() const { return pattern_.empty(); }
  bool wants(const ListedStatement& statement) const;
  const trace::StatementPattern& pattern() const { return pattern_; }

 private:
  trace::StatementPattern pattern_;
};

}  // namespace ringside::tool
