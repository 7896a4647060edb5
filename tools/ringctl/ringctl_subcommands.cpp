#include "tools/ringctl/doctor_command.hpp"
#include "tools/ringctl/list_command.hpp"
#include "tools/ringctl/policy_command.hpp"
#include "tools/ringctl/request_commands.hpp"
#include "tools/ringctl/snapshot_command.hpp"
#include "tools/ringctl/switch_commands.hpp"
#include "tools/text/subcommand.hpp"

namespace ringside::tool {
namespace {

constexpr Subcommand kSubcommands[] = {
    {"list", "services, their statements and threads", run_list},
    {"enable", "switches statements on, for good or for a time", run_enable},
    {"disable", "switches statements off, for good or for a time", run_disable},
    {"level", "switches statements below a level off and the others on", run_level},
    {"policy", "what services do when a ring is full", run_policy},
    {"flush", "waits until everything recorded so far is in files", run_flush},
    {"rotate", "has traces go on in new files", run_rotate},
    {"snapshot", "what services that overwrite their oldest records hold, as files", run_snapshot},
    {"doctor", "what keeps tracing from working well, and the remedy", run_doctor},
};

}  // namespace

std::span<const Subcommand> subcommands() {
  return kSubcommands;
}

}  // namespace ringside::tool
