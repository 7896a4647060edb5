#include "consumerd/configuration/options.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <getopt.h>
#include <memory>
#include <string_view>
#include <unistd.h>

#include <sys/stat.h>

#include "consumerd/configuration/configuration.hpp"
#include "consumerd/configuration/option_settings.hpp"
#include "consumerd/configuration/redaction_report.hpp"
#include "trace-format/condition/glob.hpp"

namespace ringside::consumer {
namespace {

constexpr char kUsage[] =
    "Usage: consumerd --output DIR [OPTION]...\n"
    "Drains the traces of services from shared memory into trace files (*.ringtrace)\n"
    "in DIR.\n"
    "\n"
    "Options:\n"
    "  -o, --output DIR        directory of the trace files; it must exist (required,\n"
    "                          here or in the configuration file)\n"
    "      --shm-dir DIR       directory of the services' segments (default /dev/shm)\n"
    "      --service GLOB      only services whose name matches (repeatable)\n"
    "      --allow-uid UID     serve segments of this user too; default: only those\n"
    "                          of the user that consumerd runs as (repeatable)\n"
    "      --rotate-bytes SIZE\n"
    "                          start a new file at SIZE bytes (or K, M, G; at least\n"
    "                          16K)\n"
    "      --rotate-after DURATION\n"
    "                          start a new file at this age: 30s, 10m, 1h\n"
    "      --keep-files N      keep at most N closed files per service; remove the\n"
    "                          oldest\n"
    "      --keep-bytes SIZE   keep at most SIZE bytes of closed files per service\n"
    "      --pack              compress closed files with zstd, in the background\n"
    "                          (*.ringtrace.zst)\n"
    "      --io auto|uring|pwrite\n"
    "                          how to write files (default auto)\n"
    "      --sandbox auto|on|off\n"
    "                          drop capabilities, system calls and directories that\n"
    "                          draining does not need; auto: as far as the kernel\n"
    "                          allows; on: exit if a part fails (default auto)\n"
    "      --metrics ADDRESS:PORT\n"
    "                          serve metrics for Prometheus at this address, such as\n"
    "                          127.0.0.1:9465 (/metrics, /healthz, /readyz; default:\n"
    "                          off)\n"
    "      --cpu N             run on this processor only\n"
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
    "Each option with a value, --pack and --verbose can also be set in the\n"
    "environment: RINGSIDE_CONSUMERD_ROTATE_BYTES=100M. Separate several values by\n"
    "commas.\n"
    "\n"
    "SIGHUP: read the configuration file again and start new files.\n"
    "SIGTERM and SIGINT: drain, finish the files, exit with status 0.\n"
    "\n"
    "Exit status: 0 success, 1 failure, 2 invalid usage or configuration, 3 another\n"
    "consumerd drains these segments.\n";

enum LongOnly { kOnce = 256, kConfig, kCheckConfig, kShowRedacted, kVersion, kFirstSetting };

std::optional<Options> refuse(const std::string& what, int* exit_code) {
  std::fprintf(stderr, "consumerd: %s\nTry 'consumerd --help'.\n", shown(what).c_str());
  *exit_code = kExitUsage;
  return {};
}

std::vector<option> long_options() {
  std::vector<option> all = {{"once", no_argument, nullptr, kOnce},
                             {"config", required_argument, nullptr, kConfig},
                             {"check-config", no_argument, nullptr, kCheckConfig},
                             {"show-redacted", required_argument, nullptr, kShowRedacted},
                             {"help", no_argument, nullptr, 'h'},
                             {"version", no_argument, nullptr, kVersion}};
  for (const Setting& setting : settings()) {
    const bool is_flag = setting.form == SettingForm::kFlag;
    all.push_back({setting.name.data(), is_flag ? no_argument : required_argument, nullptr,
                   kFirstSetting + static_cast<int>(&setting - settings().data())});
  }
  all.push_back({nullptr, 0, nullptr, 0});
  return all;
}

// For example RINGSIDE_CONSUMERD_ROTATE_BYTES for rotate-bytes.
std::string variable_of(std::string_view setting) {
  std::string name = "RINGSIDE_CONSUMERD_";
  for (const char c : setting) {
    name += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  return name;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

// Returns the first fault, with the setting's place: "--cpu must be ...".
std::string apply_all(const SettingValues& values,
                      const std::function<std::string(const std::string&)>& place,
                      Options* options) {
  for (const auto& [name, given] : values) {
    for (const std::string& value : given) {
      const std::string fault = apply_setting(*find_setting(name), value, options);
      if (!fault.empty()) return place(name) + " " + fault;
    }
  }
  return {};
}

SettingValues read_environment() {
  SettingValues given;
  for (const Setting& setting : settings()) {
    const std::string name(setting.name);
    const char* const value =
        std::getenv(variable_of(name).c_str());  // NOLINT(concurrency-mt-unsafe)
    if (value == nullptr) continue;
    given[name] =
        setting.form == SettingForm::kValues ? split(value) : std::vector<std::string>{value};
  }
  return given;
}

// The settings of `given`, which are valid, and those of the file that `given` does not contain.
std::optional<Options> combine(const SettingValues& given, const std::string& config_file,
                               std::vector<std::string>* faults) {
  Options options;
  options.given = options.settled = given;
  options.config_file = config_file;
  if (!config_file.empty()) {
    const auto file = read_configuration(config_file, faults);
    if (!file) return {};
    options.rules = std::make_shared<RecordRules>(file->rules);
    options.triggers = file->triggers;
    options.settled.insert(file->settings.begin(), file->settings.end());
  }
  apply_all(
      options.settled, [](const std::string& name) { return name; }, &options);
  return options;
}

// The staging file outlives this process and its working directory, so its paths must be absolute.
std::string make_output_absolute(Options* options) {
  const std::unique_ptr<char, decltype(&std::free)> absolute(
      realpath(options->output_dir.c_str(), nullptr), &std::free);
  if (absolute == nullptr) {
    return "output directory " + options->output_dir + ": " + error_text(errno) +
           "; create it first";
  }
  options->output_dir = absolute.get();
  struct stat info {};
  if (stat(absolute.get(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return "output " + options->output_dir + " is not a directory";
  }
  if (access(absolute.get(), W_OK | X_OK) != 0) {
    return "output directory " + options->output_dir + ": " + error_text(errno) +
           "; make it writable for this user";
  }
  return {};
}

// The contents of the command line, before they are acted on.
struct CommandLine {
  SettingValues settings;
  std::string config_file;
  bool once = false;
  bool check_only = false;
  std::vector<std::string> show_redacted;  // paths
  bool over = false;                       // the requested output was printed
  std::string fault;
};

CommandLine read_command_line(int argc, char** argv) {
  CommandLine line;
  const std::vector<option> known = long_options();
  for (;;) {
    const int c =
        getopt_long(argc, argv, "o:vh", known.data(), nullptr);  // NOLINT(concurrency-mt-unsafe)
    if (c == -1) break;
    switch (c) {
      case 'o':
        line.settings["output"] = {optarg};
        break;
      case 'v':
        line.settings["verbose"] = {"true"};
        break;
      case kOnce:
        line.once = true;
        break;
      case kConfig:
        line.config_file = optarg;
        break;
      case kCheckConfig:
        line.check_only = true;
        break;
      case kShowRedacted:
        line.show_redacted.emplace_back(optarg);
        break;
      case 'h':
        std::fputs(kUsage, stdout);
        line.over = true;
        return line;
      case kVersion:
        std::puts("consumerd " RINGSIDE_VERSION);
        line.over = true;
        return line;
      default: {
        if (c < kFirstSetting) {
          line.fault = "invalid usage";
          return line;
        }
        const Setting& setting = settings()[static_cast<std::size_t>(c - kFirstSetting)];
        std::vector<std::string>& values = line.settings[std::string(setting.name)];
        if (setting.form != SettingForm::kValues) values.clear();
        values.emplace_back(setting.form == SettingForm::kFlag ? "true" : optarg);
      }
    }
  }
  if (optind < argc) line.fault = std::string("unexpected argument ") + argv[optind];
  return line;
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, int* exit_code) {
  *exit_code = kExitOk;
  CommandLine line = read_command_line(argc, argv);
  if (line.over) return {};
  if (!line.fault.empty()) return refuse(line.fault, exit_code);
  Options sound;
  std::string fault = apply_all(
      line.settings, [](const std::string& name) { return "--" + name; }, &sound);
  if (!fault.empty()) return refuse(fault, exit_code);
  const SettingValues environment = read_environment();
  fault = apply_all(environment, variable_of, &sound);
  if (!fault.empty()) return refuse(fault, exit_code);
  line.settings.insert(environment.begin(), environment.end());
  const char* const variable =
      std::getenv("RINGSIDE_CONSUMERD_CONFIG");  // NOLINT(concurrency-mt-unsafe)
  if (line.config_file.empty() && variable != nullptr) line.config_file = variable;

  std::vector<std::string> faults;
  if (!line.config_file.empty()) {
    std::error_code error;
    // Links are resolved at each read: an update may exchange a link.
    line.config_file = std::filesystem::absolute(line.config_file, error).lexically_normal();
  }
  std::optional<Options> options = combine(line.settings, line.config_file, &faults);
  if (!options) {
    for (const std::string& one : faults)
      std::fprintf(stderr, "consumerd: %s\n", shown(one).c_str());
    *exit_code = kExitUsage;
    return {};
  }
  if (!line.show_redacted.empty()) {
    *exit_code = report_redactions(options->rules->redactions, line.show_redacted);
    return {};
  }
  options->once = line.once;
  if (options->once && !options->metrics.empty()) {
    return refuse("--metrics cannot be used with --once", exit_code);
  }
  if (options->output_dir.empty()) return refuse("--output DIR is required", exit_code);
  fault = make_output_absolute(&*options);
  if (!fault.empty()) return refuse(fault, exit_code);
  if (line.check_only) {
    std::puts("consumerd: options and configuration are valid");
    return {};
  }
  return options;
}

std::optional<Options> reload_options(const Options& present, std::vector<std::string>* faults,
                                      std::vector<std::string>* fixed) {
  const auto read = combine(present.given, present.config_file, faults);
  if (!read) return {};
  Options next = present;
  next.rules = read->rules;
  next.triggers = read->triggers;
  next.rotation = read->rotation;
  next.keep = read->keep;
  for (const Setting& setting : settings()) {
    const std::string name(setting.name);
    const auto before = present.settled.find(name);
    const auto now = read->settled.find(name);
    const bool same = before == present.settled.end()
                          ? now == read->settled.end()
                          : now != read->settled.end() && now->second == before->second;
    if (same) continue;
    if (!setting.reloads) {
      fixed->push_back(name);
    } else if (now == read->settled.end()) {
      next.settled.erase(name);
    } else {
      next.settled[name] = now->second;
    }
  }
  return next;
}

bool serves(const Options& options, const std::string& service) {
  return options.services.empty() || trace::any_service_glob_fits(options.services, service);
}

}  // namespace ringside::consumer
