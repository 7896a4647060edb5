#include "consumerd/configuration/command_line.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "consumerd/configuration/option_settings.hpp"

namespace ringside::consumer {
namespace {

constexpr char kUsage[] =
    "Usage: consumerd --output DIR [OPTION]...\n"
    "Drains the traces of services from shared memory into trace files (*.ringtrace)\n"
    "in DIR, text files (SERVICE.log), or both.\n"
    "\n"
    "Options:\n"
    "  -o, --output DIR        directory of the trace files; it must exist (this or\n"
    "                          --text is required, here or in the configuration file)\n"
    "      --text DIR          write a line of text for each record to\n"
    "                          DIR/SERVICE.log; DIR must exist. Without --output,\n"
    "                          no trace is kept\n"
    "      --template TEMPLATE\n"
    "                          format of a line of text, as for ringcat --template\n"
    "      --text-level LEVEL  leave less severe records out of the text\n"
    "      --text-utc          times in the text are UTC (default: local time)\n"
    "      --shm-dir DIR       directory of the services' segments (default /dev/shm)\n"
    "      --session-dir DIR   let sessions (ringctl session) write here, too;\n"
    "                          default: only below that of --output (repeatable)\n"
    "      --service GLOB      only services whose name matches (repeatable)\n"
    "      --allow-uid UID     serve segments of this user too; default: only those\n"
    "                          of the user that consumerd runs as (repeatable)\n"
    "      --allow-group GROUP serve segments of any user, too, if they have this\n"
    "                          group: a name in /etc/group or a number (repeatable)\n"
    "      --rotate-bytes SIZE\n"
    "                          start a new file at SIZE bytes (or K, M, G; at least\n"
    "                          16K); traces and text each\n"
    "      --rotate-after DURATION\n"
    "                          start a new file at this age: 30s, 10m, 1h\n"
    "      --keep-files N      keep at most N closed files per service, of traces and\n"
    "                          of text each; remove the oldest\n"
    "      --keep-bytes SIZE   keep at most SIZE bytes of closed files per service,\n"
    "                          of traces and of text each\n"
    "      --keep-unshipped-bytes SIZE\n"
    "                          files that ringship has not shipped yet stay until the\n"
    "                          closed files of the service exceed SIZE; then their\n"
    "                          records are removed, and counted as lost (unshipped).\n"
    "                          Requires --keep-files or --keep-bytes\n"
    "      --pack              compress closed files with zstd, in the background\n"
    "                          (*.ringtrace.zst)\n"
    "      --io auto|uring|pwrite\n"
    "                          how to write files (default auto)\n"
    "      --sync none|interval=DURATION|always\n"
    "                          when trace files are synced to the disk, to survive a\n"
    "                          crash of the machine: never; at most DURATION (100ms,\n"
    "                          1s) after each write; or before anything counts as\n"
    "                          written. A durable flush (ringctl flush --durable)\n"
    "                          syncs in any case (default none)\n"
    "      --sandbox auto|on|off\n"
    "                          drop capabilities, system calls and directories that\n"
    "                          draining does not need; auto: as far as the kernel\n"
    "                          allows; on: exit if a part fails (default auto)\n"
    "      --metrics ADDRESS:PORT\n"
    "                          serve metrics for Prometheus at this address, such as\n"
    "                          127.0.0.1:9465 (/metrics, /healthz, /readyz; default:\n"
    "                          off)\n"
    "      --threads N|auto    encode and write the rings of a busy service with up\n"
    "                          to N threads, each into files of its own; auto: as\n"
    "                          many as there are processors, at most 4 (default 1;\n"
    "                          always 1 with --text)\n"
    "      --cpu N|auto        run on this processor only; auto: on those that share\n"
    "                          a cache or a memory node with the threads that record\n"
    "                          most; further encoder threads run on any\n"
    "      --once              drain what is present, finish the files of ended\n"
    "                          services and exit; status 1 if anything is left\n"
    "      --config FILE       read settings, sampling, redaction and triggers from\n"
    "                          this file; the command line and the environment take\n"
    "                          precedence\n"
    "      --check-config      validate the options and the configuration file, and\n"
    "                          exit\n"
    "      --show-redacted PATH\n"
    "                          list the fields that each [[redact]] rule hides, and\n"
    "                          exit; PATH: a segment, a trace file or a directory of\n"
    "                          them (repeatable)\n"
    "      --log-format text|json\n"
    "                          format of the log on standard error (default text)\n"
    "  -v, --verbose           log more on standard error\n"
    "  -h, --help              show this text\n"
    "      --version           show the version\n"
    "\n"
    "Each option with a value, --pack, --text-utc and --verbose can also be set in\n"
    "the environment: RINGSIDE_CONSUMERD_ROTATE_BYTES=100M. Separate several values\n"
    "by commas.\n"
    "\n"
    "SIGHUP: read the configuration file again and start new files.\n"
    "SIGTERM and SIGINT: drain, finish the files, exit with status 0.\n"
    "\n"
    "Exit status: 0 success, 1 failure, 2 invalid usage or configuration, 3 another\n"
    "consumerd drains these segments.\n";

// Names for CLI11: "--output" also has the short form "-o".
std::string names_of(const Setting& setting) {
  std::string name = "--" + std::string(setting.name);
  if (setting.name == "output") return "-o," + name;
  if (setting.name == "verbose") return "-v," + name;
  return name;
}

// Each occurrence of the option calls `take` with its value. No value is split, whatever it
// contains.
void add_option(CLI::App& app, const std::string& names,
                const std::function<void(const std::string&)>& take) {
  app.add_option_function<std::string>(names, take)->trigger_on_parse();
}

void add_settings(CLI::App& app, SettingValues& settings_given) {
  for (const Setting& setting : settings()) {
    const std::string name(setting.name);
    if (setting.form == SettingForm::kFlag) {
      app.add_flag_callback(names_of(setting),
                            [&settings_given, name] { settings_given[name] = {"true"}; })
          ->disable_flag_override();
      continue;
    }
    const bool is_repeatable = setting.form == SettingForm::kValues;
    add_option(app, names_of(setting),
               [&settings_given, name, is_repeatable](const std::string& value) {
                 std::vector<std::string>& values = settings_given[name];
                 if (!is_repeatable) values.clear();
                 values.push_back(value);
               });
  }
}

// In reverse order, as CLI11 takes them. It would take the argument after "--service=" as the
// value, so an empty value becomes an argument of its own.
std::vector<std::string> reversed_arguments(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (!argument.starts_with("--") || argument.find('=') != argument.size() - 1) {
      arguments.push_back(std::move(argument));
      continue;
    }
    argument.pop_back();
    arguments.push_back(std::move(argument));
    arguments.emplace_back();
  }
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

// CLI11 says "--cpu: 1 required TEXT missing", or "pack was given a disallowed flag override".
std::string mismatch_text(const std::string& text) {
  if (text.ends_with("missing")) return text.substr(0, text.find(':')) + " requires an argument";
  return "--" + text.substr(0, text.find(' ')) + " takes no argument";
}

// Of arguments that are not those of an option. After "--", all are.
std::string fault_of(const std::vector<std::string>& extra) {
  if (extra.empty()) return {};
  const bool is_marked = extra.front() == "--";
  if (is_marked && extra.size() == 1) return {};
  if (!is_marked && extra.front().starts_with('-')) return "unknown option " + extra.front();
  return "unexpected argument " + extra[is_marked ? 1 : 0];
}

}  // namespace

CommandLine read_command_line(int argc, char** argv) {
  CommandLine line;
  bool help = false;
  bool version = false;
  CLI::App app;
  app.set_help_flag();  // the text above is printed instead
  app.allow_extras();
  add_settings(app, line.settings);
  app.add_flag("--once", line.once)->disable_flag_override();
  app.add_flag("--check-config", line.check_only)->disable_flag_override();
  app.add_flag("-h,--help", help)->disable_flag_override();
  app.add_flag("--version", version)->disable_flag_override();
  add_option(app, "--config", [&line](const std::string& path) { line.config_file = path; });
  add_option(app, "--show-redacted",
             [&line](const std::string& path) { line.show_redacted.push_back(path); });
  try {
    app.parse(reversed_arguments(argc, argv));
  } catch (const CLI::ArgumentMismatch& error) {
    line.fault = mismatch_text(error.what());
    return line;
  } catch (const CLI::ParseError& error) {
    line.fault = error.what();
    return line;
  }
  if (help || version) {
    std::fputs(help ? kUsage : "consumerd " RINGSIDE_VERSION "\n", stdout);
    line.over = true;
    return line;
  }
  line.fault = fault_of(app.remaining());
  return line;
}

}  // namespace ringside::consumer
