#pragma once
// The command line of ringcat.

#include <optional>
#include <string>
#include <vector>

namespace ringside::tool {

inline constexpr int kExitOk = 0;
inline constexpr int kExitDamaged = 1;  // something was read, but not all of it was sound
inline constexpr int kExitUsage = 2;
inline constexpr int kExitUnreadable = 3;

struct RingcatOptions {
  std::vector<std::string> paths;
  bool utc = false;
  unsigned threads = 1;
};

// Empty if the process is to end at once with `*exit_code`.
std::optional<RingcatOptions> parse_ringcat_options(int argc, char** argv, int* exit_code);

}  // namespace ringside::tool
