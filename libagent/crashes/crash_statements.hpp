#pragma once
// The statements of crashes, and their records. They are events like those of the service, at level
// critical; docs/how-to/crashes.md describes their fields.

#include <csignal>
#include <cstdint>
#include <string_view>

#include "libagent/crashes/interrupted_registers.hpp"
#include "libagent/crashes/stack_walk.hpp"
#include "libagent/process/mapped_modules.hpp"

namespace ringside {

// Creates the segment if there is none, and enters the statements into its dictionary. Allocates.
// False if that failed; they are entered later then, when there is a segment.
bool register_crash_statements();

// The same for `ringside.module` alone, without creating a segment. False if the lock is not free
// within its bound. Signal-safe.
bool know_module_statement();

// Whether a record is possible without an allocation: there is a segment, and it has the
// statements.
bool can_record_crash();

struct CrashFacts {
  int signal = 0;  // 0: std::terminate, with a handler of the service
  std::string_view signal_name;
  int code = 0;  // of siginfo_t
  std::string_view reason;
  std::uint64_t address = 0;    // that could not be accessed; 0: none
  std::int32_t sender_pid = 0;  // of a signal that a process sent; 0: the processor
  InterruptedRegisters registers;
  std::string_view exception;  // its type, mangled; empty: none
  std::string_view what;
};

// All of these are signal-safe.
void record_module(const MappedModule& module);
void record_crash(const CrashFacts& facts, const StackAddresses& stack);
// The process ends by exit(), or by a return from main.
void record_exit();

}  // namespace ringside
