#include "tools/ringstat/ringstat_options.hpp"

#include <cmath>
#include <cstdio>

#include <CLI/CLI.hpp>

#include "tools/fleet/access_options.hpp"
#include "tools/fleet/fleet_address.hpp"
#include "tools/ringstat/ringstat_exit_codes.hpp"
#include "tools/text/duration.hpp"
#include "tools/text/help_format.hpp"

namespace ringside::tool {
namespace {

constexpr std::uint64_t kShortestNs = 50'000'000;

bool read_duration(const char* option, const std::string& text, std::uint64_t least_ns,
                   std::uint64_t* ns) {
  const auto value = parse_duration_ns(text);
  if (value && *value >= least_ns) {
    *ns = *value;
    return true;
  }
  std::fprintf(stderr,
               "ringstat: %s %s: invalid duration; use a number and a unit, such as 500ms, 2s or "
               "10m, of at least 50ms\n",
               option, text.c_str());
  return false;
}

}  // namespace

std::optional<RingstatOptions> parse_ringstat_options(int argc, char** argv, int* exit_status) {
  CLI::App app(
      "Shows the state of tracing: services, rings, threads, statements, losses and consumerd,\n"
      "live in the terminal. It only reads shared memory and does not disturb services or "
      "consumerd.",
      "ringstat");
  RingstatOptions options;
  std::string interval = "1s";
  std::string limit;
  double fill = 90;
  app.set_version_flag("--version", "ringstat " RINGSIDE_VERSION);
  app.add_option("--interval", interval, "time between two samples")
      ->type_name("DURATION")
      ->capture_default_str();
  app.add_flag("--once", options.once,
               "print the difference of two samples, --interval apart, as text");
  app.add_flag("--json", options.json, "with --once: print one JSON object")->needs("--once");
  app.add_flag("--watch-exit", options.watch_exit,
               "print nothing until a problem occurs, then exit with a status that names it")
      ->excludes("--once");
  app.add_option("--for", limit, "with --watch-exit: exit 0 if no problem occurs within this time")
      ->type_name("DURATION")
      ->needs("--watch-exit");
  app.add_option("--fill", fill,
                 "with --watch-exit: highest fill of a ring without a problem, in percent")
      ->check(CLI::Range(1.0, 100.0))
      ->capture_default_str()
      ->needs("--watch-exit");
  add_service_options(app, options.services);
  app.add_option("--fleet", options.fleet,
                 "show the hosts of a fleet instead: nats://SERVER[:PORT][/HOST], with what they "
                 "have not shipped and lost")
      ->type_name("ADDRESS")
      ->check([](const std::string& text) {
        return fleet::is_fleet_address(text)
                   ? std::string()
                   : "'" + text + "' is not an address; use nats://SERVER[:PORT][/HOST]";
      })
      ->excludes("--watch-exit");
  fleet::add_access_options(app, options.fleet_access, "Fleet options");
  app.footer(
      "Exit status: 0 success, 1 a segment or the directory could not be read, or the output "
      "failed, 2 invalid usage, 3 --once:\n"
      "no such service or host. With --watch-exit: 10 records were lost, 11 a service has no "
      "working\n"
      "consumerd, 12 a ring was quarantined, 13 a ring is too full.");
  set_help_format(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    *exit_status = app.exit(error) == 0 ? kStatOk : kStatUsage;
    return {};
  }
  *exit_status = kStatUsage;
  if (!read_duration("--interval", interval, kShortestNs, &options.interval_ns)) return {};
  if (!limit.empty() && !read_duration("--for", limit, 1, &options.limit_ns)) return {};
  options.fill_limit_permille = static_cast<std::uint64_t>(std::lround(fill * 10));
  return options;
}

}  // namespace ringside::tool
