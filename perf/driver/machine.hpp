#pragma once
// On what and with what the figures were taken.

#include <nlohmann/json.hpp>

namespace ringside::perf {

// {"processor", "processors", "l2_kib", "l3_kib", "memory_mib", "kernel", "hypervisor"}; what
// cannot be found out is left out.
nlohmann::json describe_machine();

// {"compiler", "optimised"}: of the driver, which is built like the programs beside it.
nlohmann::json describe_build();

// Runnable threads in the last minute, of the whole machine: 1 is what a run makes itself.
double load_average();

// Universal time, "2026-11-20T21:35:16Z".
std::string now_utc();

}  // namespace ringside::perf
