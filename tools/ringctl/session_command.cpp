#include "tools/ringctl/session_command.hpp"

#include <CLI/CLI.hpp>

#include "tools/ringctl/ringctl_exit_codes.hpp"
#include "tools/ringctl/ringctl_output.hpp"

namespace ringside::tool {
namespace {

void add_start_options(CLI::App& app, SessionOptions& options) {
  app.add_option("-o,--output", options.output,
                 "start: directory of the session's files, below that of consumerd's --output; "
                 "created if it is missing, and otherwise empty")
      ->type_name("DIR");
  app.add_option("--for", options.limit,
                 "start: end after this time, such as 30s, even if this tool and consumerd are "
                 "gone; default: at stop")
      ->type_name("DURATION");
  app.add_option("--level", options.level,
                 "start: record statements of this level and more severe ones; those that are "
                 "disabled are enabled for this session only; default: record what is enabled")
      ->type_name("LEVEL");
  app.add_option("--where", options.where,
                 "start: record what meets this condition on fields and properties, as in ringcat "
                 "--where")
      ->type_name("CONDITION");
  app.add_option("--rotate-bytes", options.rotate_bytes,
                 "start: continue in a new file at this size: 500000, 64K, 100M, 2G")
      ->type_name("SIZE");
  app.add_option("--buffers", options.buffers,
                 "start: shared memory for data on its way to the disk, 4M to 31M; default: 31M")
      ->type_name("SIZE");
}

}  // namespace

int run_session(int argc, char** argv) {
  CLI::App app(
      "Starts, lists and stops sessions: additional traces of running services, each with its own\n"
      "selection of records, level, directory, buffers and end. The main trace stays as it is.",
      "ringctl session");
  SessionOptions options;
  std::string action;
  std::string timeout = "10s";
  app.add_option("ACTION", action,
                 "start; list (counts are about a second old); stop (ends a session, and waits "
                 "until its files are complete)")
      ->required();
  app.add_option("NAME", options.name,
                 "name of the session: at most 32 letters, digits, _ and -; default of start: "
                 "session-1, session-2, ...");
  add_start_options(app, options);
  options.statements.add_options(app, false);
  app.add_option("--timeout", timeout, "longest wait for consumerd")
      ->type_name("DURATION")
      ->capture_default_str();
  add_control_options(app, options.control);
  app.footer(
      "Exit status: 0 success, 1 failed (see standard error), 2 invalid usage, 3 no such session.");
  if (const int status = parse_or_status(app, argc, argv); status != kGoOn) return status;
  const auto timeout_ns = parse_timeout(timeout);
  if (!timeout_ns) return kCtlUsage;
  options.timeout_ns = *timeout_ns;
  if (action == "start") return start_session(options);
  if (action == "list") return list_sessions(options);
  if (action == "stop") return stop_session(options);
  complain("session " + action + ": unknown action; use start, list or stop");
  return kCtlUsage;
}

}  // namespace ringside::tool
