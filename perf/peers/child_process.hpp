#pragma once
// Runs other programs for a measuring program.

#include <initializer_list>
#include <string>

#include <sys/types.h>

namespace ringside::perf {

struct ProgramEnd {
  int status = 127;  // exit status; 128 + n after signal n
  std::string text;  // standard output, and standard error if `with_errors`
};

enum class Output { keep, keep_with_errors, discard };

// Runs the program on processor `cpu` alone; it ends with this process. Programs are searched in
// PATH.
ProgramEnd run_program(std::initializer_list<std::string> command, int cpu,
                       Output output = Output::keep_with_errors);

// Starts the program in the background; returns -1 if it cannot be started.
pid_t start_program(std::initializer_list<std::string> command, int cpu);

// Sends SIGTERM and waits for the end of the process.
void stop_program(pid_t pid);

}  // namespace ringside::perf
