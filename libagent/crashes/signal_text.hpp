#pragma once
// Names of signals and of their causes, for records of crashes.

#include <csignal>
#include <string_view>

namespace ringside {

// "SIGSEGV"; empty for signals that are not handled.
std::string_view signal_name(int signal);

// Why the kernel raised the signal, or how it was sent.
std::string_view signal_reason(const siginfo_t& info);

}  // namespace ringside
