#pragma once
// What ringcat and its subcommands write to standard output and standard error.

#include <string>
#include <string_view>

#include "trace-format/read_report.hpp"

namespace ringside::tool {

// False with errno if not all of it could be written.
bool write_output(std::string_view text);

// What to do when write_output() failed with `error`: says so and returns the exit code. That of a
// reader which has seen enough (head, less) is success.
int exit_code_of_failed_output(int error);

// One line "ringcat: TEXT" on standard error.
void complain(const std::string& text);

// Says what was damaged or odd; returns the exit code, kExitOk or kExitDamaged.
int complain_of_damage(const trace::ReadReport& report);

// Whether what is printed goes to a terminal, which obeys control characters.
bool output_is_terminal();

}  // namespace ringside::tool
