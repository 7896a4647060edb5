#include "tools/ringctl/switch_commands.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/ringctl/change_author.hpp"
#include "tools/ringctl/control_command.hpp"
#include "tools/ringctl/ringctl_exit_codes.hpp"
#include "tools/ringctl/ringctl_output.hpp"
#include "tools/ringctl/segment_control.hpp"
#include "tools/ringctl/statement_choice.hpp"
#include "tools/ringctl/switch_change.hpp"
#include "tools/text/duration.hpp"
#include "trace-format/condition/level_name.hpp"

namespace ringside::tool {
namespace {

constexpr const char* kExitStatus =
    "Exit status: 0 success, 1 failed for a service (see standard error), 2 invalid usage,\n"
    "3 no matching service or statement.";

void add_limit_option(CLI::App& app, std::string& limit) {
  app.add_option("--for", limit,
                 "revert automatically after this time, such as 30s, even if this tool and "
                 "consumerd are gone")
      ->type_name("DURATION");
}

// On an invalid text reports that and returns false.
bool parse_limit(const std::string& text, std::optional<std::uint64_t>* limit_ns) {
  if (text.empty()) return true;
  *limit_ns = parse_duration_ns(text);
  if (*limit_ns && **limit_ns > 0) return true;
  complain("--for " + text +
           ": invalid duration; use a number and a unit, such as 500ms, 30s or 10m");
  return false;
}

std::string limit_text(std::optional<std::uint64_t> limit_ns) {
  return limit_ns ? " for " + duration_text(*limit_ns) : "";
}

nlohmann::ordered_json service_json(const SegmentControl& control) {
  nlohmann::ordered_json object;
  object["service"] = service_of(control.path());
  object["pid"] = pid_of(control.path());
  return object;
}

std::string service_text(const SegmentControl& control) {
  return fmt::format("{} {}", service_of(control.path()), pid_of(control.path()));
}

const char* word_of(StatementState state) {
  if (state == StatementState::counting) return "counting";
  return state == StatementState::on ? "enabled" : "disabled";
}

void say_switched(const SegmentControl& control, const std::vector<SwitchedStatement>& switched,
                  StatementState state, std::optional<std::uint64_t> limit_ns, bool json) {
  if (json) {
    nlohmann::ordered_json object = service_json(control);
    object["enabled"] = state == StatementState::on;
    object["counting"] = state == StatementState::counting;
    if (limit_ns) object["for_ns"] = *limit_ns;
    object["statements"] = nlohmann::ordered_json::array();
    for (const SwitchedStatement& one : switched) {
      object["statements"].push_back({{"site", one.statement.id},
                                      {"file", one.statement.file},
                                      {"line", one.statement.line},
                                      {"text", one.statement.format},
                                      {"was_enabled", one.before == StatementState::on},
                                      {"was_counting", one.before == StatementState::counting}});
    }
    say_json(object);
    return;
  }
  say(fmt::format("{}: {} statement{} {}{}", service_text(control), switched.size(),
                  switched.size() == 1 ? "" : "s", word_of(state), limit_text(limit_ns)));
  for (const SwitchedStatement& one : switched) {
    say(fmt::format("  {} {} \"{}\"{}", one.statement.place(), shm::level_name(one.statement.level),
                    one.statement.format, one.before == state ? " (unchanged)" : ""));
  }
}

constexpr const char* kOfCount =
    "Counts the executions of statements instead of recording them, including statements that\n"
    "have not run yet. ringctl list --statements, ringstat and the metrics of consumerd show\n"
    "the counts. ringctl enable, disable and level end it.";

int run_switch(int argc, char** argv, StatementState state) {
  const bool on = state == StatementState::on;
  const bool counts = state == StatementState::counting;
  CLI::App app(counts ? kOfCount
               : on   ? "Enables statements, including those that have not run yet."
                      : "Disables statements, including those that have not run yet.",
               counts ? "ringctl count"
               : on   ? "ringctl enable"
                      : "ringctl disable");
  ControlOptions options;
  StatementChoice choice;
  std::string limit;
  choice.add_options(app, true);
  add_limit_option(app, limit);
  add_control_options(app, options);
  app.footer(kExitStatus);
  if (const int status = parse_or_status(app, argc, argv); status != kGoOn) return status;
  std::string why;
  std::optional<std::uint64_t> limit_ns;
  if (!parse_limit(limit, &limit_ns)) return kCtlUsage;
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
  std::size_t statements = 0;
  const int status = for_each_service(options, [&](SegmentControl& control, std::string* reason) {
    std::vector<SwitchedStatement> switched;
    if (!switch_statements(control, choice, state, limit_ns, &switched, reason)) return false;
    statements += switched.size();
    if (!switched.empty()) say_switched(control, switched, state, limit_ns, options.json);
    return true;
  });
  if (status == kCtlOk && statements == 0) {
    complain("no matching statement; ringctl list --statements shows all");
    return kCtlNobody;
  }
  return status;
}

}  // namespace

int run_enable(int argc, char** argv) {
  return run_switch(argc, argv, StatementState::on);
}

int run_disable(int argc, char** argv) {
  return run_switch(argc, argv, StatementState::off);
}

int run_count(int argc, char** argv) {
  return run_switch(argc, argv, StatementState::counting);
}

int run_level(int argc, char** argv) {
  CLI::App app(
      "Disables the statements below a level and enables all others. Overrides earlier changes\n"
      "of single statements. Also applies to libraries that are loaded later.",
      "ringctl level");
  ControlOptions options;
  std::string name;
  std::string limit;
  app.add_option("LEVEL", name, "trace, debug, info, notice, warning, error, critical or off")
      ->required();
  add_limit_option(app, limit);
  add_control_options(app, options);
  app.footer(
      "Exit status: 0 success, 1 failed for a service (see standard error), 2 invalid usage,\n"
      "3 no such service.");
  if (const int status = parse_or_status(app, argc, argv); status != kGoOn) return status;
  std::optional<std::uint64_t> limit_ns;
  if (!parse_limit(limit, &limit_ns)) return kCtlUsage;
  auto level = trace::level_of_name(name);
  if (!level && (name == "off" || name == "OFF")) level = shm::Level::kOff;
  if (!level) {
    complain(name + ": invalid level; use one of " + trace::level_names() +
             ", OFF, in upper or lower case");
    return kCtlUsage;
  }
  options.command = command_text(argc, argv);
  return for_each_service(options, [&](SegmentControl& control, std::string* reason) {
    if (!change_level(control, *level, limit_ns, reason)) return false;
    if (options.json) {
      nlohmann::ordered_json object = service_json(control);
      object["level"] = shm::level_name(*level);
      if (limit_ns) object["for_ns"] = *limit_ns;
      say_json(object);
    } else {
      say(fmt::format("{}: level {}{}", service_text(control), shm::level_name(*level),
                      limit_text(limit_ns)));
    }
    return true;
  });
}

}  // namespace ringside::tool
