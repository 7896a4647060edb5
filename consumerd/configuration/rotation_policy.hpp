#pragma once
// When a trace continues in a new file.

#include <chrono>
#include <cstdint>

namespace ringside::consumer {

struct RotationPolicy {
  std::uint64_t bytes = 0;        // rotate when the file has this length; 0: never
  std::chrono::seconds after{0};  // rotate when a section that has records has this age; 0: never

  // `front_bytes`: length of the file's beginning, before any record. If that alone is long, a file
  // grows to twice its length; otherwise the disk would hold little else.
  bool is_due(std::uint64_t file_bytes, std::uint64_t front_bytes,
              std::chrono::steady_clock::duration age) const {
    if (bytes != 0 && file_bytes >= bytes && file_bytes / 2 >= front_bytes) return true;
    return after.count() != 0 && age >= after;
  }
};

}  // namespace ringside::consumer
