#pragma once
// ringstat's command line.

#include <cstdint>
#include <optional>
#include <string>

#include "tools/service_choice.hpp"

namespace ringside::tool {

struct RingstatOptions {
  ServiceChoice services;
  std::uint64_t interval_ns = 1'000'000'000;
  bool once = false;
  bool json = false;
  bool watch_exit = false;
  std::uint64_t limit_ns = 0;               // of --watch-exit; 0: none
  std::uint64_t fill_limit_permille = 900;  // of --watch-exit
};

// Empty with the exit status if there is nothing to run.
std::optional<RingstatOptions> parse_ringstat_options(int argc, char** argv, int* exit_status);

}  // namespace ringside::tool
