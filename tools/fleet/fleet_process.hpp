#pragma once
// What ringship and ringsink have in common as processes.

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace ringside::fleet {

// The exit statuses.
constexpr int kFleetOk = 0;
constexpr int kFleetUsage = 2;
constexpr int kFleetFailed = 3;

// Empty if the command line is valid, else the exit status: help and versions were asked for, or
// the message of the error is on standard error.
std::optional<int> parse_command_line(CLI::App& app, int argc, char** argv);

// From now on, SIGINT and SIGTERM ask the process to end.
void end_by_signals();
bool is_asked_to_end();

// One line on standard error: "ringship: TEXT"; control characters are escaped.
void complain(const char* program, const std::string& text);

std::uint64_t monotonic_ms();

}  // namespace ringside::fleet
