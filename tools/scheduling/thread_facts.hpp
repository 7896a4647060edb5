#pragma once
// What /proc says of a thread.

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

#include <sys/types.h>

namespace ringside::tool {

// Empty if the thread is gone.
std::string thread_name(pid_t pid, std::uint32_t thread_id);
// Its number in its own PID namespace, which services record. Empty if the thread is gone.
std::optional<std::uint32_t> inner_thread_id(pid_t pid, std::uint32_t thread_id);
// The same from the text of /proc/PID/task/ID/status.
std::optional<std::uint32_t> inner_thread_id_of(std::istream& status);
// The time that it has had processors for. Empty if the kernel does not tell it.
std::optional<std::uint64_t> processor_time_ns(pid_t pid, std::uint32_t thread_id);
// Where it runs, or ran last.
std::optional<std::uint32_t> last_processor(pid_t pid, std::uint32_t thread_id);

}  // namespace ringside::tool
