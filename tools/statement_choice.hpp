#pragma once
// Which statements of a service are meant: the options.

#include <string>

#include "trace-format/condition/statement_pattern.hpp"

namespace CLI {
class App;
}

namespace ringside::tool {

struct ListedStatement;

class StatementChoice {
 public:
  // With `positional`, globs may also stand without an option, as --site.
  void add_options(CLI::App& app, bool positional);

  // After the command line was read. False with `*why` if an argument is not sound.
  bool prepare(std::string* why);

  bool empty() const { return pattern_.empty(); }
  bool wants(const ListedStatement& statement) const;

 private:
  trace::StatementPattern pattern_;
};

}  // namespace ringside::tool
