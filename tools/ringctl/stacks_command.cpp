#include "tools/ringctl/stacks_command.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/ringctl/change_author.hpp"
#include "tools/ringctl/control_command.hpp"
#include "tools/ringctl/ringctl_exit_codes.hpp"
#include "tools/ringctl/ringctl_output.hpp"
#include "tools/ringctl/segment_control.hpp"
#include "tools/ringctl/stack_switches.hpp"
#include "tools/ringctl/statement_choice.hpp"

namespace ringside::tool {
namespace {

const char* remark(const StackStatement& one, bool on) {
  if (!one.can_have_stacks) return " (cannot have stacks)";
  return one.had_stacks == on ? " (unchanged)" : "";
}

void say_stacks(const SegmentControl& control, const std::vector<StackStatement>& statements,
                bool on, bool json) {
  if (json) {
    nlohmann::ordered_json object;
    object["service"] = service_of(control.path());
    object["pid"] = pid_of(control.path());
    object["stacks"] = on;
    object["statements"] = nlohmann::ordered_json::array();
    for (const StackStatement& one : statements) {
      object["statements"].push_back({{"site", one.statement.id},
                                      {"file", one.statement.file},
                                      {"line", one.statement.line},
                                      {"text", one.statement.format},
                                      {"had_stacks", one.had_stacks},
                                      {"can_have_stacks", one.can_have_stacks}});
    }
    say_json(object);
    return;
  }
  const auto able =
      static_cast<std::size_t>(std::ranges::count_if(statements, &StackStatement::can_have_stacks));
  say(fmt::format("{} {}: {} statement{} {} stacks", service_of(control.path()),
                  pid_of(control.path()), able, able == 1 ? "" : "s", on ? "with" : "without"));
  for (const StackStatement& one : statements) {
    say(fmt::format("  {} {} \"{}\"{}", one.statement.place(), shm::level_name(one.statement.level),
                    one.statement.format, remark(one, on)));
  }
}

}  // namespace

int run_stacks_switch(int argc, char** argv) {
  CLI::App app(
      "Adds the stack of the thread to each record of statements, including those that have not\n"
      "run yet, or stops that. \"on\" also enables the statements, permanently. ringctl disable\n"
      "and a level that disables them end it, too. ringcat stacks prints the stacks.",
      "ringctl stacks");
  ControlOptions options;
  StatementChoice choice;
  std::string state;
  app.add_option("STATE", state, "on or off")->required();
  choice.add_options(app, true);
  add_control_options(app, options);
  app.footer(
      "A record with a stack takes some microseconds more.\n"
      "\n"
      "  ringctl stacks on 'order rejected'\n"
      "\n"
      "Exit status: 0 success, 1 failed for a service (see standard error), 2 invalid usage,\n"
      "3 no matching service or statement.");
  if (const int status = parse_or_status(app, argc, argv); status != kGoOn) return status;
  if (state != "on" && state != "off") {
    complain(state + ": invalid state; use on or off");
    return kCtlUsage;
  }
  std::string why;
  if (!choice.prepare(&why)) {
    complain(why);
    return kCtlUsage;
  }
  if (choice.empty()) {
    complain(
        "no statements selected; give a text, --file, --function, --category, --keyword, "
        "--of-level or --regex; '*' selects all");
    return kCtlUsage;
  }
  options.command = command_text(argc, argv);
  const bool on = state == "on";
  std::size_t able = 0;
  std::size_t statements = 0;
  const int status = for_each_service(options, [&](SegmentControl& control, std::string* reason) {
    std::vector<StackStatement> changed;
    if (!switch_stacks(control, choice, on, &changed, reason)) return false;
    statements += changed.size();
    for (const StackStatement& one : changed) able += one.can_have_stacks ? 1 : 0;
    if (!changed.empty()) say_stacks(control, changed, on, options.json);
    return true;
  });
  if (status != kCtlOk || able != 0) return status;
  complain(
      statements == 0
          ? "no matching statement; ringctl list --statements shows all"
          : "only spans, contexts and statements of the library match; they cannot have stacks");
  return kCtlNobody;
}

}  // namespace ringside::tool
