#pragma once
// Other programs, run by a measuring program.

#include <initializer_list>
#include <string>

#include <sys/types.h>

namespace ringside::perf {

struct ProgramEnd {
  int status = 127;  // exit status; 128 + n after signal n
  std::string text;  // what it wrote to standard output, and to standard error if `with_errors`
};

enum class Output { keep, keep_with_errors, discard };

// Runs on processor `cpu` alone, and ends with this process. Programs are found by PATH.
ProgramEnd run_program(std::initializer_list<std::string> command, int cpu,
                       Output output = Output::keep_with_errors);

// The same in the background; -1 if it cannot be started.
pid_t start_program(std::initializer_list<std::string> command, int cpu);

// SIGTERM, and waits for its end.
void stop_program(pid_t pid);

}  // namespace ringside::perf
