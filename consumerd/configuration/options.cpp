#include "consumerd/configuration/options.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <unistd.h>

#include <sys/stat.h>

#include "consumerd/configuration/command_line.hpp"
#include "consumerd/configuration/configuration.hpp"
#include "consumerd/configuration/option_settings.hpp"
#include "consumerd/configuration/redaction_report.hpp"
#include "consumerd/log/journal.hpp"
#include "trace-format/condition/glob.hpp"

namespace ringside::consumer {
namespace {

void print_fault(const std::string& what) {
  const std::string_view prefix =
      leads_to_journal(STDERR_FILENO) ? journal_prefix("error") : std::string_view();
  std::fprintf(stderr, "%.*sconsumerd: %s\n", static_cast<int>(prefix.size()), prefix.data(),
               shown(what).c_str());
}

std::optional<Options> refuse(const std::string& what, int* exit_code) {
  print_fault(what);
  std::fputs("Try 'consumerd --help'.\n", stderr);
  *exit_code = kExitUsage;
  return {};
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

// Where only text is written, traces are a spool, removed when their text is written: the policies
// of the operator are those of the text.
void settle_text(Options* options) {
  options->text.rotation = options->rotation;
  options->text.keep_files = options->keep.files;
  options->text.keep_bytes = options->keep.bytes;
  options->text.only = !options->text.dir.empty() && options->settled.count("output") == 0;
  if (!options->text.only) return;
  constexpr std::uint64_t kSpoolFileBytes = 16U << 20;
  options->output_dir = options->text.dir + "/.trace";
  options->rotation = {kSpoolFileBytes, {}};
  options->keep = {};
}

// The first fault of the options for text.
std::string text_fault(const Options& options) {
  if (!options.text.dir.empty()) {
    return options.text.only && options.settled.count("pack") != 0
               ? "--pack requires --output DIR: without it no trace is kept"
               : "";
  }
  for (const char* const name : {"template", "text-level", "text-utc"}) {
    if (options.settled.count(name) != 0) {
      return "--" + std::string(name) + " requires --text DIR";
    }
  }
  return {};
}

std::string keep_fault(const Options& options) {
  const bool removes =
      options.settled.count("keep-files") != 0 || options.settled.count("keep-bytes") != 0;
  return options.settled.count("keep-unshipped-bytes") != 0 && !removes
             ? "--keep-unshipped-bytes requires --keep-files or --keep-bytes: without them no file "
               "is removed"
             : "";
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
  settle_text(&options);
  return options;
}

// The staging file outlives this process and its working directory, so its paths must be absolute.
std::string make_absolute(const std::string& kind, std::string* dir) {
  const std::unique_ptr<char, decltype(&std::free)> absolute(realpath(dir->c_str(), nullptr),
                                                             &std::free);
  if (absolute == nullptr) {
    return kind + " directory " + *dir + ": " + error_text(errno) + "; create it first";
  }
  *dir = absolute.get();
  struct stat info {};
  if (stat(absolute.get(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return kind + " " + *dir + " is not a directory";
  }
  if (access(absolute.get(), W_OK | X_OK) != 0) {
    return kind + " directory " + *dir + ": " + error_text(errno) +
           "; make it writable for this user";
  }
  return {};
}

// Creates the spool in the text directory, unless it exists.
std::string make_spool(Options* options) {
  options->output_dir = options->text.dir + "/.trace";
  constexpr mode_t kMode = 0750;
  struct stat info {};
  if (mkdir(options->output_dir.c_str(), kMode) != 0 && errno != EEXIST) {
    return "cannot create " + options->output_dir + ": " + error_text(errno);
  }
  if (lstat(options->output_dir.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return options->output_dir + " is not a directory; remove it";
  }
  return {};
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
    for (const std::string& one : faults) print_fault(one);
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
  if (options->output_dir.empty()) {
    return refuse("--output DIR or --text DIR is required", exit_code);
  }
  fault = text_fault(*options);
  if (fault.empty()) fault = keep_fault(*options);
  if (fault.empty() && !options->text.dir.empty())
    fault = make_absolute("text", &options->text.dir);
  if (fault.empty() && !options->text.only) fault = make_absolute("output", &options->output_dir);
  for (std::string& directory : options->session_dirs) {
    if (fault.empty()) fault = make_absolute("session", &directory);
  }
  if (!fault.empty()) return refuse(fault, exit_code);
  if (line.check_only) {
    std::puts("consumerd: options and configuration are valid");
    return {};
  }
  if (options->text.only) fault = make_spool(&*options);
  if (!fault.empty()) return refuse(fault, exit_code);
  return options;
}

std::optional<Options> reload_options(const Options& present, std::vector<std::string>* faults,
                                      std::vector<std::string>* fixed) {
  const auto read = combine(present.given, present.config_file, faults);
  if (!read) return {};
  Options next = present;
  next.rules = read->rules;
  next.triggers = read->triggers;
  // Whether there is a trace beside the text does not change, nor what the policies are for.
  if (read->text.only == present.text.only) {
    next.rotation = read->rotation;
    next.keep = read->keep;
  }
  next.text = read->text;
  next.text.dir = present.text.dir;
  next.text.only = present.text.only;
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

std::vector<std::string> working_directories(const Options& options) {
  std::vector<std::string> directories = {options.output_dir, options.shm_dir};
  directories.insert(directories.end(), options.session_dirs.begin(), options.session_dirs.end());
  return directories;
}

bool serves(const Options& options, const std::string& service) {
  return options.services.empty() || trace::any_service_glob_fits(options.services, service);
}

}  // namespace ringside::consumer
