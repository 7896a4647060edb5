// ringcat: prints trace files as text, and processes them in other ways.

#include <cerrno>
#include <csignal>
#include <exception>

#include "tools/query/exit_codes.hpp"
#include "tools/query/standard_streams.hpp"
#include "tools/ringcat/print_command.hpp"
#include "tools/text/empty_values.hpp"
#include "tools/text/standard_descriptors.hpp"
#include "tools/text/subcommand.hpp"

int main(int argc, char** argv) {
  using namespace ringside::tool;
  if (!occupy_standard_descriptors()) return kExitUnreadable;
  // With SIGPIPE ignored, a closed pipe is a failed write, which ends the work cleanly.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    EmptyValues words(argc, argv);
    const int count = words.count();
    char** const all = words.words();
    const Subcommand* const chosen = count > 1 ? find_subcommand(all[1]) : nullptr;
    const int code = chosen == nullptr ? run_print(count, all) : chosen->run(count - 1, all + 1);
    // Help and version are still in the buffer.
    if (code != kExitOk || flush_standard_output()) return code;
    return exit_code_of_failed_output(errno);
  } catch (const std::exception& error) {
    complain(error.what());
    return kExitUnreadable;
  }
}
