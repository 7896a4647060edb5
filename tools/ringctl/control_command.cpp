#include "tools/ringctl/control_command.hpp"

#include <CLI/CLI.hpp>

#include "tools/ringctl/ringctl_exit_codes.hpp"
#include "tools/ringctl/ringctl_output.hpp"
#include "tools/ringctl/segment_control.hpp"
#include "tools/text/duration.hpp"
#include "tools/text/help_format.hpp"

namespace ringside::tool {

void add_control_options(CLI::App& app, ControlOptions& options) {
  add_service_options(app, options.services);
  app.add_flag("--json", options.json, "one JSON object per line instead of text");
}

std::optional<std::uint64_t> parse_timeout(const std::string& text) {
  const auto timeout_ns = parse_duration_ns(text);
  if (!timeout_ns) {
    complain("--timeout " + text +
             ": invalid duration; use a number and a unit, such as 500ms or 10s");
  }
  return timeout_ns;
}

int parse_or_status(CLI::App& app, int argc, char** argv) {
  set_help_format(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kCtlOk : kCtlUsage;
  }
  return kGoOn;
}

int for_each_service(const ControlOptions& options,
                     const std::function<bool(SegmentControl& control, std::string* why)>& act) {
  std::string why;
  bool any = false;
  bool all = true;
  for (const std::string& path : chosen_segments(options.services, &why)) {
    const auto control = SegmentControl::open(path, &why);
    if (control == nullptr && why.empty()) continue;
    // The segment of a service that has ended only waits for a consumerd.
    if (control != nullptr && !control->service_alive()) continue;
    any = true;
    if (control != nullptr) control->set_command(options.command);
    if (control != nullptr && act(*control, &why)) continue;
    complain(why);
    all = false;
    why.clear();
  }
  if (!any) {
    complain(why.empty() ? no_such_service(options.services) : why);
    return kCtlNobody;
  }
  return all ? kCtlOk : kCtlFailed;
}

}  // namespace ringside::tool
