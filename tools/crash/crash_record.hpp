#pragma once
// The records `ringside.crash` and `ringside.module` of a trace, by the names of their fields.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/symbols/mapped_code.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::tool {

// Names of the events that the crash handlers of a service record.
inline constexpr char kCrashEvent[] = "ringside.crash";
inline constexpr char kModuleEvent[] = "ringside.module";
inline constexpr char kExitEvent[] = "ringside.exit";

// Whether the statement is the event `name` of the library, not one of the service.
bool is_library_event(const trace::Site& site, const char* name);

// Missing fields are empty or 0.
struct CrashRecord {
  std::uint64_t unix_ns = 0;
  std::uint32_t thread_id = 0;
  std::string thread_name;
  int signal = 0;
  std::string signal_name;
  int code = 0;
  std::string reason;
  std::uint64_t address = 0;
  std::int64_t sender_pid = 0;
  std::uint64_t pc = 0;
  std::uint64_t sp = 0;
  std::uint64_t fp = 0;
  std::vector<std::uint64_t> stack;
  bool is_stack_cut = false;
  std::string exception;  // mangled
  std::string what;
};

CrashRecord read_crash(const trace::Event& event);
// The return addresses in the field `stack` of any event. Empty if it has none.
std::vector<std::uint64_t> read_stack(const trace::Record& record);
MappedCode read_module(const trace::Record& record);

}  // namespace ringside::tool
