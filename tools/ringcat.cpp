// ringcat: trace files as text, and what else can be done with them.

#include <csignal>
#include <exception>

#include "tools/exit_codes.hpp"
#include "tools/print_command.hpp"
#include "tools/standard_streams.hpp"
#include "tools/subcommand.hpp"

int main(int argc, char** argv) {
  using namespace ringside::tool;
  // A pipe that nobody reads shows as a failed write, which ends the work in order.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const Subcommand* const chosen = argc > 1 ? find_subcommand(argv[1]) : nullptr;
    return chosen == nullptr ? run_print(argc, argv) : chosen->run(argc - 1, argv + 1);
  } catch (const std::exception& error) {
    complain(error.what());
    return kExitUnreadable;
  }
}
