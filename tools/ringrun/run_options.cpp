#include "tools/ringrun/run_options.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <span>
#include <string_view>

#include <CLI/CLI.hpp>

#include "tools/ringrun/ringrun_exit_codes.hpp"
#include "tools/text/help_format.hpp"

namespace ringside::tool {
namespace {

constexpr std::array<std::string_view, 8> kServiceLevels = {
    "trace", "debug", "info", "notice", "warning", "error", "critical", "off"};
constexpr const char* kSelection = "Select records";

// Options that ringcat understands. Values stay where they are: CLI11 refers to them.
class PrintingOptions {
 public:
  explicit PrintingOptions(CLI::App& app) : app_(app) {}

  CLI::Option* add_value(const char* name, const char* ringcat_name, const char* help) {
    Passed& passed = passed_.emplace_back(Passed{ringcat_name, {}, false, nullptr});
    passed.option = app_.add_option(name, passed.values, help)
                        ->expected(1)
                        ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    return passed.option;
  }

  CLI::Option* add_globs(const char* name, const char* help) {
    Passed& passed = passed_.emplace_back(Passed{name, {}, false, nullptr});
    passed.option = app_.add_option(name, passed.values, help)
                        ->allow_extra_args(false)
                        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return passed.option;
  }

  CLI::Option* add_flag(const char* name, const char* help) {
    Passed& passed = passed_.emplace_back(Passed{name, {}, false, nullptr});
    passed.option = app_.add_flag(name, passed.is_set, help);
    return passed.option;
  }

  std::vector<std::string> words() const {
    std::vector<std::string> words;
    for (const Passed& passed : passed_) {
      if (passed.option->count() == 0) continue;
      if (passed.is_set) words.push_back(passed.ringcat_name);
      for (const std::string& value : passed.values) {
        words.push_back(passed.ringcat_name + "=" + value);
      }
    }
    return words;
  }

 private:
  struct Passed {
    std::string ringcat_name;
    std::vector<std::string> values;
    bool is_set;  // a flag
    CLI::Option* option;
  };

  CLI::App& app_;
  std::deque<Passed> passed_;
};

void add_printing_options(PrintingOptions& options) {
  options
      .add_value("--min-level", "--level",
                 "print records of at least this level; the others are still recorded")
      ->type_name("LEVEL[+]")
      ->group(kSelection);
  options.add_globs("--category", "records of this category")->type_name("GLOB")->group(kSelection);
  options.add_globs("--thread", "records of threads with this id or name")
      ->type_name("ID|GLOB")
      ->group(kSelection);
  options.add_globs("--service", "records of this service")->type_name("GLOB")->group(kSelection);
  options
      .add_value("--grep", "--grep", "records whose message matches this regular expression (RE2)")
      ->type_name("REGEX")
      ->group(kSelection);
  options
      .add_value("--where", "--where",
                 "records whose fields meet this condition: qty > 100 && side == \"B\"")
      ->type_name("EXPR")
      ->group(kSelection);
  options
      .add_globs("--site",
                 "records of statements with this name, file, FILE:LINE or format text (without * "
                 "? [ a part of the format is enough)")
      ->type_name("GLOB")
      ->group(kSelection);
  options.add_flag("--no-losses", "do not print where records were dropped")->group(kSelection);
  options
      .add_value("--color", "--color",
                 "colour the levels: auto (on a terminal, unless NO_COLOR is set), always, never")
      ->type_name("auto|always|never");
  options.add_value("--format", "--format", "format of the records")
      ->type_name("text|json|csv|logfmt");
  options.add_value("--columns", "--columns", "columns of csv, as for ringcat")
      ->type_name("NAME[,NAME...]");
  options
      .add_value("--template", "--template",
                 "format of a line, such as '{time} {level:<8} {msg}', as for ringcat")
      ->type_name("TEMPLATE");
  options
      .add_value("--show", "--show",
                 "end lines of text with these properties: all, or names such as duration_ns")
      ->type_name("NAME[,NAME...]");
  options.add_flag("--raw", "print control characters and invalid UTF-8 unchanged");
  options.add_flag("--utc", "print times in UTC instead of the local time zone");
}

// Where the program begins among the words. All words after it are its own, with or without "--"
// before it.
std::size_t find_program(const CLI::App& app, std::span<char*> words, std::size_t* options_end) {
  std::size_t at = 1;
  while (at < words.size()) {
    const std::string_view word = words[at];
    *options_end = at;
    if (word == "--") return at + 1;
    if (word.size() < 2 || word.front() != '-') return at;
    const CLI::Option* const option = app.get_option_no_throw(std::string(word));
    at += option != nullptr && option->get_items_expected_max() > 0 ? 2U : 1U;
  }
  *options_end = words.size();
  return words.size();
}

void check_level(const std::string& level) {
  if (level.empty()) return;
  if (std::find(kServiceLevels.begin(), kServiceLevels.end(), level) != kServiceLevels.end()) {
    return;
  }
  throw CLI::ValidationError("--level", "unknown level '" + level +
                                            "'; use trace, debug, info, notice, warning, error, "
                                            "critical or off");
}

}  // namespace

std::optional<RunOptions> parse_run_options(int argc, char** argv, int* exit_status) {
  RunOptions options;
  CLI::App app(
      "Runs a program with a private consumerd and prints its records as they are made. Nothing is "
      "left when it ends.",
      "ringrun");
  std::vector<std::string> unused;  // for the help: CLI11 does not parse the program's words
  app.add_option("PROGRAM", unused, "program to run, with its arguments; -- before it is optional")
      ->option_text("PROGRAM [ARGUMENT]...");
  app.set_version_flag("--version", "ringrun " RINGSIDE_VERSION);
  app.add_option("--level", options.level,
                 "level of the service: less severe statements are disabled; default: its own")
      ->type_name("LEVEL");
  app.add_option("--keep", options.keep,
                 "keep the trace files in this directory, which is created if it is missing")
      ->type_name("DIR");
  std::string records = "stderr";
  app.add_option("--records", records, "where the records are printed")
      ->check(CLI::IsMember({"stderr", "stdout"}))
      ->capture_default_str();
  PrintingOptions printing(app);
  add_printing_options(printing);
  app.footer(
      "Signals go to the program. consumerd and ringcat are searched for beside ringrun, then in "
      "PATH. Shared memory is in a private directory below RINGSIDE_SHM_DIR, /dev/shm or TMPDIR.\n"
      "\n"
      "Exit status: that of the program, or 128 + N if signal N ended it. 125 ringrun failed or "
      "invalid usage, 126 the program cannot be executed, 127 the program was not found.");
  set_help_format(app);
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  std::size_t options_end = 1;
  const std::size_t program = find_program(app, words, &options_end);
  try {
    app.parse(static_cast<int>(options_end), argv);
    check_level(options.level);
    if (program >= words.size()) throw CLI::RequiredError("PROGRAM");
  } catch (const CLI::ParseError& error) {
    *exit_status = app.exit(error) == 0 ? kRunOk : kRunFailed;
    return {};
  }
  options.records_to_stdout = records == "stdout";
  options.printing = printing.words();
  options.program.assign(words.begin() + static_cast<std::ptrdiff_t>(program), words.end());
  return options;
}

}  // namespace ringside::tool
