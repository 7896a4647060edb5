#pragma once
// The output of ringcat and its subcommands on standard output and standard error.

#include <string>
#include <string_view>

#include "trace-format/blocks/read_report.hpp"

namespace ringside::tool {

// False with errno if the text could not be written completely.
bool write_output(std::string_view text);

// Call when write_output() failed with `error`: reports that and returns the exit code. For a
// reader that stops early (head, less) the code is success.
int exit_code_of_failed_output(int error);

// One line "ringcat: TEXT" on standard error.
void complain(const std::string& text);

// Reports damage and anomalies; returns the exit code, kExitOk or kExitDamaged.
int complain_of_damage(const trace::ReadReport& report);

// Whether standard output is a terminal, which interprets control characters.
bool output_is_terminal();

}  // namespace ringside::tool
