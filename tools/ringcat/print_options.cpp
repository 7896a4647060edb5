#include "tools/ringcat/print_options.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/files/path_scheme.hpp"
#include "tools/interop/endpoint_address.hpp"
#include "tools/interop/format_registry.hpp"
#include "tools/query/exit_codes.hpp"
#include "tools/ringcat/conversion_options.hpp"
#include "tools/text/help_format.hpp"
#include "tools/text/subcommand.hpp"
#include "trace-format/reader/record_property.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kMostTail = 100'000'000;

bool is_color_terminal() {
  const char* const unwanted =
      std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe): before any thread
  if (unwanted != nullptr && *unwanted != '\0') return false;
  const char* const terminal = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe): the same
  if (terminal != nullptr && std::string_view(terminal) == "dumb") return false;
  return isatty(STDOUT_FILENO) == 1;
}

std::string subcommand_list() {
  std::string list =
      "Subcommands (see ringcat NAME --help; write ./NAME for a file of that name):\n";
  for (const Subcommand& one : subcommands()) {
    list += fmt::format("  {:<12}{}\n", one.name, one.description);
  }
  return list + "\n";
}

void check_listening(PrintOptions& options) {
  const ForeignFormat* const format = find_foreign_format(options.from);
  const std::string_view scheme = scheme_of(options.listen);
  if (!is_endpoint(options.listen) && !scheme.empty()) {
    throw CLI::ValidationError("--listen", options.listen + ": the scheme '" + std::string(scheme) +
                                               "://' is not supported; use tcp:// or udp://");
  }
  if (format == nullptr || format->collect == nullptr) {
    throw CLI::ValidationError("--listen", "requires --from with a format that senders use: " +
                                               names_of_collected_formats());
  }
  if (is_udp(options.listen) && format->collect_datagrams == nullptr) {
    throw CLI::ValidationError(
        "--listen", options.from + " does not consist of packets that fit datagrams; use tcp://");
  }
  if (options.conversion.format.empty() && !options.conversion.output.empty()) {
    options.conversion.format = "ringtrace";
  }
}

// Options for the form of lines have no meaning for a conversion.
void check_lines(const CLI::App& app) {
  for (const char* const name :
       {"--format", "--columns", "--template", "--show", "--raw", "--color", "--utc"}) {
    if (app.get_option(name)->count() == 0) continue;
    throw CLI::ValidationError(name,
                               "formats printed lines and cannot be used with --to; omit one");
  }
}

// Lines of other formats have no place for a mark.
void check_marks(const PrintOptions& options) {
  if (!options.mark_order) return;
  if (options.format.format != "csv" && options.format.line_template.empty() &&
      options.conversion.format.empty()) {
    return;
  }
  throw CLI::ValidationError("--mark-order",
                             "requires --format text, json or logfmt, without --template and --to");
}

// CLI11's message would name a range up to a number of 309 digits.
CLI::Validator whole_number() {
  return CLI::Validator(
      [](const std::string& text) {
        const bool is_whole = !text.empty() && text.size() < 20 &&
                              text.find_first_not_of("0123456789") == std::string::npos;
        return is_whole ? std::string() : "'" + text + "' is not an integer of at least 0";
      },
      "");
}

// Other formats promise an order, or need spans whose ends come after their begins.
void check_unordered(const PrintOptions& options) {
  if (!options.unordered || options.conversion.format.empty()) return;
  throw CLI::ValidationError("--unordered", "prints lines and cannot be used with --to; omit one");
}

void check_standard_input(const std::vector<std::string>& paths) {
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    throw CLI::ValidationError("PATH",
                               "- is standard input, which can be read only once; give it once");
  }
}

}  // namespace

std::optional<PrintOptions> parse_print_options(int argc, char** argv, int* exit_code) {
  PrintOptions options;
  CLI::App app("Prints the records of trace files, sorted by time.", "ringcat");
  app.set_version_flag("--version", "ringcat " RINGSIDE_VERSION);
  CLI::Option* const paths = app.add_option(
      "PATH", options.paths,
      "trace files, directories of *.ringtrace files, - for standard input, or "
      "nats://SERVER[:PORT][/HOST[/SERVICE]][?snapshot=ID] for what a fleet has stored");
  CLI::Option* const segment =
      app.add_option("--segment", options.segment,
                     "read a segment in shared memory, or a copy of one, instead of trace files; "
                     "reports each thread on standard error")
          ->type_name("FILE")
          ->excludes(paths);
  add_from_option(app, options.from);
  CLI::Option* const listen = app.add_option("--listen", options.listen,
                                             "receive records from senders at tcp://HOST:PORT, "
                                             "or as datagrams of heph at udp://HOST:PORT, until a "
                                             "signal (Ctrl-C), and print them as they arrive; in "
                                             "the format --from: " +
                                                 names_of_collected_formats() +
                                                 "; with -o FILE only, write a Ringside trace")
                                  ->type_name("ADDRESS")
                                  ->excludes(paths)
                                  ->excludes(segment);
  add_filter_options(app, options.filter);
  add_fleet_options(app, options.fleet);
  std::string color = "auto";
  app.add_option("--color", color,
                 "colour the levels: auto (on a terminal, unless NO_COLOR is set), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  std::uint64_t head = 0;
  std::size_t tail = 0;
  CLI::Option* const head_option = app.add_option("--head", head, "print only the first N lines")
                                       ->type_name("N")
                                       ->check(whole_number());
  CLI::Option* const tail_option = app.add_option("--tail", tail, "print only the last N lines")
                                       ->type_name("N")
                                       ->check(CLI::Range(std::size_t{0}, kMostTail))
                                       ->excludes(head_option);
  app.add_flag("-f,--follow", options.follow,
               "wait for new records and print them, until a signal (Ctrl-C); those of a fleet "
               "from now on, or "
               "with --since or --tail earlier ones too; with --to, send "
               "them to -o and connect again when the receiver was away: " +
                   names_of_forwarded_formats())
      ->excludes(segment)
      ->excludes(listen);
  app.add_flag(
         "--unordered", options.unordered,
         "print the records as they come in the files, a piece of one thread after the other, "
         "instead of sorting them by time")
      ->excludes(tail_option)
      ->excludes("--follow");
  app.add_flag("--mark-order", options.mark_order,
               "in a trace of several hosts, mark each line that may belong before a line of "
               "another host above it, because their clocks do not agree more closely; with "
               "--format text, json or logfmt")
      ->excludes("--unordered");
  add_format_options(app, options.format);
  add_conversion_options(app, options.conversion);
  app.add_flag("--utc", options.utc, "print times in UTC instead of the local time zone");
  // More than a few threads would be idle: one thread reads for all of them.
  options.threads = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  app.add_option("--threads", options.threads,
                 "number of threads that read and format; default: one per processor, up to 4")
      ->check(CLI::Range(1U, 64U));
  app.footer(
      subcommand_list() +
      "One line per record:\n"
      "  2026-11-20 21:35:16.554575617 orders.cc:31 NOTICE [4711 worker-2] the message\n"
      "where 4711 is the thread. Dropped records show as a line of level LOST in their place;\n"
      "a message whose strings were truncated ends in \" [cut]\".\n"
      "\n"
      "Conditions of --where: the fields of a statement, by name, by their last part (qty for\n"
      "order->qty) or between back quotes (`items[0]`); msg (the message), and properties, with\n"
      "or without an @ before the name: " +
      trace::property_names() +
      "; numbers, \"texts\", TRACE to CRITICAL, true, false; == != < <= > >= =~ \"regex\" !~\n"
      "in (1, 2) + - * / & (bits) && || ! and parentheses. thread is the id or the name.\n"
      "Records of a statement that lacks one of the named fields do not match.\n"
      "\n"
      "Exit status: 0 all read, 1 damage was skipped (see standard error), 2 invalid usage,\n"
      "3 nothing could be read, or nothing written.");
  set_help_format(app);
  try {
    app.parse(argc, argv);
    if (head_option->count() > 0) options.head = head;
    if (tail_option->count() > 0) options.tail = tail;
    options.color = color == "always" || (color == "auto" && is_color_terminal());
    if (options.paths.empty() && options.segment.empty() && options.listen.empty()) {
      throw CLI::RequiredError("PATH");
    }
    if (!options.listen.empty()) check_listening(options);
    check_conversion(options.conversion, options.follow, options.tail.has_value());
    if (!options.conversion.format.empty()) check_lines(app);
    check_unordered(options);
    check_marks(options);
    check_standard_input(options.paths);
  } catch (const CLI::ParseError& error) {
    *exit_code = app.exit(error) == 0 ? kExitOk : kExitUsage;
    return {};
  }
  return options;
}

}  // namespace ringside::tool
