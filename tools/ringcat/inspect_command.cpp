#include "tools/ringcat/inspect_command.hpp"

#include <memory>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/stat.h>

#include "tools/interop/format_registry.hpp"
#include "tools/query/exit_codes.hpp"
#include "tools/query/standard_streams.hpp"
#include "tools/text/help_format.hpp"

namespace ringside::tool {
namespace {

// A separate code: here 2 means that the file was refused, for example because its contents do not
// match its format.
constexpr int kExitRefused = 2;

struct InspectOptions {
  std::string path;
  std::string from;
  InspectStyle style = InspectStyle::kText;
};

bool is_directory(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

int refuse(const std::string& why) {
  complain(why);
  return kExitRefused;
}

int inspect(const InspectOptions& options) {
  const ForeignFormat* format = options.from.empty() ? nullptr : find_foreign_format(options.from);
  std::unique_ptr<InputBytes> input;
  const bool directory = options.path != "-" && is_directory(options.path);
  if (directory) {
    if (format == nullptr) format = recognise_directory_format(options.path);
  } else {
    std::string error;
    input = InputBytes::open(options.path, &error);
    if (input == nullptr) return refuse(error);
    if (format == nullptr) format = recognise_format(input->peek(ForeignFormat::kFirstBytes));
    if (format == nullptr && !input->failure().empty()) {
      return refuse(options.path + ": reading failed: " + input->failure());
    }
  }
  const bool known = format != nullptr && (directory ? format->inspect_directory != nullptr
                                                     : format->inspect != nullptr);
  if (!known) {
    return refuse(options.path +
                  ": unknown format; give it with --from: " + names_of_read_formats());
  }
  OutputBytes output([](std::span<const std::byte> bytes) {
    return write_output({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  });
  const ReadOutcome outcome = directory
                                  ? format->inspect_directory(options.path, options.style, output)
                                  : format->inspect(*input, options.style, output);
  const bool written = output.flush();
  if (!output.failure().empty()) {
    complain(output.failure());
    return kExitUnreadable;
  }
  if (!written) return exit_code_of_failed_output(output.error());
  for (const std::string& warning : outcome.warnings) complain(options.path + ": " + warning);
  const bool unread = input != nullptr && !input->failure().empty();
  if (unread) complain(options.path + ": reading failed: " + input->failure());
  if (outcome.end == ReadEnd::kWhole) return unread ? kExitDamaged : kExitOk;
  complain(fmt::format("{}:{}: {}", options.path, outcome.offset, outcome.message));
  return outcome.end == ReadEnd::kRefused ? kExitRefused : kExitDamaged;
}

}  // namespace

int run_inspect(int argc, char** argv) {
  InspectOptions options;
  CLI::App app("Shows the contents of a file of any format that ringcat reads.", "ringcat inspect");
  app.add_option("FILE", options.path,
                 "a file, a directory (for formats that are directories), or - for standard input")
      ->required();
  CLI::Option* const json = app.add_flag_callback(
      "--json", [&] { options.style = InspectStyle::kJson; }, "print one JSON document");
  app.add_flag_callback(
         "--csv", [&] { options.style = InspectStyle::kCsv; },
         "print one line per event or block, with the values that fit a table")
      ->excludes(json);
  app.add_option(
         "--from", options.from,
         "format of the file; default: detected by its first bytes: " + names_of_read_formats())
      ->type_name("FORMAT");
  app.footer(
      "Exit status: 0 all read, 1 an error ended reading, the part before it is shown, 2 the\n"
      "file is refused, or invalid usage, 3 the output failed.");
  set_help_format(app);
  try {
    app.parse(argc, argv);
    if (!options.from.empty() && find_foreign_format(options.from) == nullptr) {
      throw CLI::ValidationError(
          "--from", "unknown format " + options.from + "; use one of " + names_of_read_formats());
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  return inspect(options);
}

}  // namespace ringside::tool
