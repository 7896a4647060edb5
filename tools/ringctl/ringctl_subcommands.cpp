#include "tools/ringctl/doctor_command.hpp"
#include "tools/ringctl/fleet_command.hpp"
#include "tools/ringctl/list_command.hpp"
#include "tools/ringctl/policy_command.hpp"
#include "tools/ringctl/request_commands.hpp"
#include "tools/ringctl/sched_command.hpp"
#include "tools/ringctl/session_command.hpp"
#include "tools/ringctl/snapshot_command.hpp"
#include "tools/ringctl/stacks_command.hpp"
#include "tools/ringctl/switch_commands.hpp"
#include "tools/ringctl/upgrade_command.hpp"
#include "tools/text/subcommand.hpp"

namespace ringside::tool {
namespace {

constexpr Subcommand kSubcommands[] = {
    {"list", "list services, their statements or threads", run_list},
    {"enable", "enable statements, permanently or for a time", run_enable},
    {"disable", "disable statements, permanently or for a time", run_disable},
    {"count", "count the executions of statements instead of recording them", run_count},
    {"stacks", "add stacks to the records of statements", run_stacks_switch},
    {"level", "set the lowest level that services record", run_level},
    {"policy", "show or change what services do when a ring is full", run_policy},
    {"flush", "wait until all records so far are in files", run_flush},
    {"rotate", "continue traces in new files", run_rotate},
    {"snapshot", "write the rings of flight recorders to files", run_snapshot},
    {"sched", "record when the threads of services run and wait", run_sched},
    {"session", "start, list or stop additional traces", run_session},
    {"fleet", "ask the hosts of a fleet for snapshots", run_fleet},
    {"upgrade", "replace a running consumerd by a new program", run_upgrade},
    {"doctor", "check the machine and the segments, and print remedies", run_doctor},
};

}  // namespace

std::span<const Subcommand> subcommands() {
  return kSubcommands;
}

}  // namespace ringside::tool
