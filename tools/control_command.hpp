#pragma once
// What the subcommands of ringctl that change services have in common: the services' options,
// --json, and one pass over the segments.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tools/service_choice.hpp"

namespace CLI {
class App;
}

namespace ringside::tool {

class SegmentControl;

struct ControlOptions {
  ServiceChoice services;
  bool json = false;
};

void add_control_options(CLI::App& app, ControlOptions& options);

// The rest of main(): reads the command line. Empty, or the exit status to end with.
// The value of --timeout; empty, and complained about, if it is none.
std::optional<std::uint64_t> parse_timeout(const std::string& text);

int parse_or_status(CLI::App& app, int argc, char** argv);
inline constexpr int kGoOn = -1;

// Calls `act` for each chosen service that lives, and returns the exit status. `act` prints what it
// did, or returns false with `*why`.
int for_each_service(const ControlOptions& options,
                     const std::function<bool(SegmentControl& control, std::string* why)>& act);

}  // namespace ringside::tool
