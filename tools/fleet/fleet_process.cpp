#include "tools/fleet/fleet_process.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>

#include <CLI/CLI.hpp>

#include "trace-format/lines/visible_text.hpp"

namespace ringside::fleet {
namespace {

volatile std::sig_atomic_t g_ends = 0;

}  // namespace

std::optional<int> parse_command_line(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return {};
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kFleetOk : kFleetUsage;
  }
}

void end_by_signals() {
  struct sigaction action = {};
  action.sa_handler = [](int) { g_ends = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A lost connection shall be an error of its write.
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
}

bool is_asked_to_end() {
  return g_ends != 0;
}

void complain(const char* program, const std::string& text) {
  std::fprintf(stderr, "%s: %s\n", program, trace::visible(text).c_str());
}

std::uint64_t monotonic_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

}  // namespace ringside::fleet
