#pragma once
// ringstat's command line.

#include <cstdint>
#include <optional>
#include <string>

#include "tools/fleet/reader_request.hpp"
#include "tools/live/service_choice.hpp"

namespace ringside::tool {

struct RingstatOptions {
  ServiceChoice services;
  std::string fleet;  // an address; empty: the services of this host
  fleet::ServerAccess fleet_access;
  std::uint64_t interval_ns = 1'000'000'000;
  bool once = false;
  bool json = false;
  bool watch_exit = false;
  std::uint64_t limit_ns = 0;               // for --watch-exit; 0: no limit
  std::uint64_t fill_limit_permille = 900;  // for --watch-exit
};

// Empty, with the exit status, if the process must end at once.
std::optional<RingstatOptions> parse_ringstat_options(int argc, char** argv, int* exit_status);

}  // namespace ringside::tool
