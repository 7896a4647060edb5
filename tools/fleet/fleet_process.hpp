#pragma once
// What ringship and ringsink have in common as processes.

#include <cstdint>
#include <string>

namespace ringside::fleet {

// The exit statuses.
constexpr int kFleetOk = 0;
constexpr int kFleetUsage = 2;
constexpr int kFleetFailed = 3;

// From now on, SIGINT and SIGTERM ask the process to end.
void end_by_signals();
bool is_asked_to_end();

// One line on standard error: "ringship: TEXT"; control characters are escaped.
void complain(const char* program, const std::string& text);

std::uint64_t monotonic_ms();

}  // namespace ringside::fleet
