#pragma once
// ringctl session: additional traces, each with its own selection, files and end.

#include <string>

#include "tools/live/service_choice.hpp"
#include "tools/ringctl/control_command.hpp"
#include "tools/ringctl/statement_choice.hpp"

namespace ringside::tool {

int run_session(int argc, char** argv);

struct SessionOptions {
  std::string name;  // empty: none was given
  ControlOptions control;
  StatementChoice statements;
  std::string level;
  std::string where;
  std::string output;
  std::string limit;
  std::string rotate_bytes;
  std::string buffers;
  std::uint64_t timeout_ns = 0;
};

// The actions; each returns the exit status.
int start_session(SessionOptions& options);
int list_sessions(const SessionOptions& options);
int stop_session(const SessionOptions& options);

}  // namespace ringside::tool
