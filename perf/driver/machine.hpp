#pragma once
// The machine and the build that produced the figures.

#include <nlohmann/json.hpp>

namespace ringside::perf {

// {"processor", "processors", "l2_kib", "l3_kib", "memory_mib", "kernel", "hypervisor"}; a value
// that cannot be determined is omitted.
nlohmann::json describe_machine();

// {"compiler", "optimised"} of the driver, which is built with the same settings as the measuring
// programs.
nlohmann::json describe_build();

// Average number of runnable threads of the whole machine in the last minute: a run by itself gives
// 1.
double load_average();

// Universal time, "2026-11-20T21:35:16Z".
std::string now_utc();

}  // namespace ringside::perf
