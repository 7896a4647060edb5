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
#include "trace-format/condition/glob.hpp"

namespace ringside::consumer {
namespace {

std::optional<Options> refuse(const std::string& what, int* exit_code) {
  std::fprintf(stderr, "consumerd: %s\nTry 'consumerd --help'.\n", shown(what).c_str());
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
