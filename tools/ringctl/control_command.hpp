#pragma once
// The common part of ringctl's subcommands that change services: the options that select services,
// --json, and one pass over the segments.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tools/live/service_choice.hpp"

namespace CLI {
class App;
}

namespace ringside::tool {

class SegmentControl;

struct ControlOptions {
  ServiceChoice services;
  bool json = false;
  std::string
      command;  // the command line, for the trace; only of subcommands that change something
};

void add_control_options(CLI::App& app, ControlOptions& options);

// The value of --timeout; empty, with a message on standard error, if it is not a duration.
std::optional<std::uint64_t> parse_timeout(const std::string& text);

// Reads the command line. Returns kGoOn, or the exit status to end with.
int parse_or_status(CLI::App& app, int argc, char** argv);
inline constexpr int kGoOn = -1;

// Calls `act` for each chosen live service, and returns the exit status. `act` prints what it did,
// or returns false with `*why`.
int for_each_service(const ControlOptions& options,
                     const std::function<bool(SegmentControl& control, std::string* why)>& act);

}  // namespace ringside::tool
