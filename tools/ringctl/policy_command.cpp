#include "tools/ringctl/policy_command.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/ringctl/change_author.hpp"
#include "tools/ringctl/control_command.hpp"
#include "tools/ringctl/ringctl_exit_codes.hpp"
#include "tools/ringctl/ringctl_output.hpp"
#include "tools/ringctl/segment_control.hpp"
#include "tools/text/duration.hpp"
#include "tools/text/policy_name.hpp"

namespace ringside::tool {
namespace {

constexpr std::uint64_t kMillisecondNs = 1'000'000;

bool say_policy(SegmentControl& control, bool json, bool bound_is_new, std::string* why) {
  shm::OverflowPolicy policy{};
  std::uint32_t block_timeout_ms = 0;
  if (!control.read_policy(&policy, &block_timeout_ms)) {
    *why = control.why();
    return false;
  }
  if (json) {
    nlohmann::ordered_json object;
    object["service"] = service_of(control.path());
    object["pid"] = pid_of(control.path());
    object["policy"] = policy_name(policy);
    object["block_timeout_ms"] = block_timeout_ms;
    say_json(object);
    return true;
  }
  std::string line = fmt::format("{} {}: {}", service_of(control.path()), pid_of(control.path()),
                                 policy_name(policy));
  if (policy == shm::OverflowPolicy::kBlock) {
    line += fmt::format(", at most {} ms", block_timeout_ms);
    // Only the service itself knows that time.
    if (bound_is_new) line += ", limited by the bound that the service started with";
  }
  say(line);
  return true;
}

}  // namespace

int run_policy(int argc, char** argv) {
  CLI::App app(
      "Shows or changes what services do when a ring is full: wait for space up to a bound and\n"
      "then drop the newest record, or drop it at once. Overwriting the oldest records instead\n"
      "can only be chosen when a service starts (RINGSIDE_OVERFLOW).",
      "ringctl policy");
  ControlOptions options;
  std::string name;
  std::string bound;
  app.add_option("POLICY", name, "block or drop; without it, show the current policy");
  app.add_option("--block-timeout", bound,
                 "the longest wait of block; at most the bound that the service started with")
      ->type_name("DURATION");
  add_control_options(app, options);
  app.footer(
      "Exit status: 0 success, 1 failed for a service (see standard error), 2 invalid usage,\n"
      "3 no such service.");
  if (const int status = parse_or_status(app, argc, argv); status != kGoOn) return status;
  const std::optional<shm::OverflowPolicy> policy = policy_of_name(name);
  if (!name.empty() && (!policy || *policy == shm::OverflowPolicy::kOverwrite)) {
    complain(name + ": invalid policy for a running service; use block or drop");
    return kCtlUsage;
  }
  std::optional<std::uint32_t> bound_ms;
  if (!bound.empty()) {
    const auto ns = parse_duration_ns(bound);
    if (!ns || *ns / kMillisecondNs > UINT32_MAX) {
      complain("--block-timeout " + bound +
               ": invalid duration; use a number and a unit, such as 20ms");
      return kCtlUsage;
    }
    bound_ms = static_cast<std::uint32_t>(*ns / kMillisecondNs);
  }
  options.command = command_text(argc, argv);
  return for_each_service(options, [&](SegmentControl& control, std::string* why) {
    if (policy || bound_ms) {
      if (control.overwritten()) {
        *why = control.path() +
               ": its policy is overwrite, which cannot change at run time; start it with another "
               "RINGSIDE_OVERFLOW";
        return false;
      }
      if (!control.lock() || !control.announce_change() ||
          !control.write_policy(policy, bound_ms)) {
        *why = control.why();
        return false;
      }
    }
    return say_policy(control, options.json, bound_ms.has_value(), why);
  });
}

}  // namespace ringside::tool
