// ringview: the report of traces that grow, as a live page.

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/processes/bounded_command.hpp"
#include "tools/query/event_filter.hpp"
#include "tools/query/filter_options.hpp"
#include "tools/ringview/listening_address.hpp"
#include "tools/ringview/live_board.hpp"
#include "tools/ringview/live_report.hpp"
#include "tools/ringview/live_services.hpp"
#include "tools/ringview/view_access.hpp"
#include "tools/ringview/view_control.hpp"
#include "tools/ringview/view_server.hpp"
#include "tools/text/help_format.hpp"
#include "tools/text/standard_descriptors.hpp"
#include "tools/text/time_argument.hpp"

namespace {

using namespace ringside::tool;

constexpr int kViewOk = 0;
constexpr int kViewUsage = 2;
constexpr int kViewFailed = 3;
constexpr std::uint16_t kPort = 9480;
constexpr std::chrono::milliseconds kServicesInterval{2000};

struct ViewOptions {
  std::vector<std::string> paths;
  std::uint16_t port = kPort;
  std::string socket;
  std::string title;
  std::string shm_dir = "/dev/shm";
  int interval_ms = 1000;
  FilterOptions filter;
  bool allows_control = false;
};

void say(const std::string& text) {
  const std::string line = "ringview: " + text + "\n";
  static_cast<void>(::write(STDERR_FILENO, line.data(), line.size()));
}

std::optional<int> parse_view(int argc, char** argv, ViewOptions& options) {
  CLI::App app("Shows traces that grow in a browser: the page of `ringcat report`, live.",
               "ringview");
  set_help_format(app);
  app.set_version_flag("--version", std::string("ringview ") + RINGSIDE_VERSION);
  app.add_option("PATH", options.paths,
                 "directories of trace files, or files; none: only the segments of services");
  auto* const port = app.add_option("--port", options.port, "port of 127.0.0.1; 0: any free one");
  port->type_name("N")->capture_default_str();
  app.add_option("--socket", options.socket, "listen on this Unix socket instead")
      ->type_name("FILE")
      ->excludes(port);
  app.add_option("--title", options.title, "headline; default: the paths")->type_name("TEXT");
  app.add_option("--since", options.filter.since,
                 "only records since this time, as in ringcat report: -10m moves with the present")
      ->type_name("TIME");
  app.add_option("--service", options.filter.services, "only records of services with this name")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_option("--interval-ms", options.interval_ms,
                 "least time between two updates; more if the traces take long to read")
      ->type_name("MS")
      ->check(CLI::Range(50, 3'600'000))
      ->capture_default_str();
  app.add_flag("--allow-control", options.allows_control,
               "the page may switch statements and levels, and take snapshots");
  // Where services with the same environment create them.
  const char* const shm_dir =
      std::getenv("RINGSIDE_SHM_DIR");  // NOLINT(concurrency-mt-unsafe): before any thread
  if (shm_dir != nullptr && *shm_dir != '\0') options.shm_dir = shm_dir;
  app.add_option("--shm-dir", options.shm_dir,
                 "directory of the services' segments: which ones run, their costs of log calls,\n"
                 "records that no consumer takes, and --allow-control; default: RINGSIDE_SHM_DIR")
      ->type_name("DIR")
      ->capture_default_str();
  app.footer(
      "ringview prints an address with a token. A user with this token can read the traces, and\n"
      "make changes with --allow-control. On a machine of several users, --socket lets only this "
      "user\n"
      "connect; ssh -L 9480:FILE forwards it.\n"
      "\n"
      "Exit status: 0 after SIGINT or SIGTERM, 2 invalid usage, 3 it cannot listen, or a path\n"
      "cannot be read.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kViewOk : kViewUsage;
  }
  std::string why;
  if (EventFilter::make(options.filter, unix_ns_now(), true, &why) == nullptr) {
    say(why);
    return kViewUsage;
  }
  return {};
}

// A program beside this one, or the installed one.
std::string path_of(const char* name) {
  std::array<char, 4096> own;
  const ssize_t length = ::readlink("/proc/self/exe", own.data(), own.size());
  if (length > 0) {
    const std::filesystem::path beside =
        std::filesystem::path(std::string(own.data(), static_cast<std::size_t>(length)))
            .replace_filename(name);
    if (::access(beside.c_str(), X_OK) == 0) return beside;
  }
  return std::string("/usr/bin/") + name;
}

ViewServer::Control control_of(const ViewOptions& options) {
  if (!options.allows_control) return {};
  return [program = path_of("ringctl"), shm_dir = options.shm_dir](const std::string& request,
                                                                   std::string* answer) {
    std::vector<std::string> command;
    if (!control_command(request, shm_dir, command, answer)) return false;
    CommandResult result;
    if (!run_bounded(program, command, {}, result, answer)) return false;
    *answer = result.output + result.errors;
    return result.status == 0;
  };
}

// As typed.
std::vector<std::string> selection_of(const FilterOptions& filter) {
  std::vector<std::string> selection;
  if (!filter.since.empty()) selection.push_back("--since " + filter.since);
  for (const std::string& service : filter.services) selection.push_back("--service " + service);
  return selection;
}

ServiceChoice segments_of(const ViewOptions& options) {
  return {options.shm_dir, options.filter.services, {}};
}

std::string title_of(const ViewOptions& options) {
  if (options.paths.empty()) return options.shm_dir;
  std::string title;
  for (const std::string& path : options.paths) title += (title.empty() ? "" : ", ") + path;
  return title;
}

int run(int argc, char** argv) {
  ViewOptions options;
  if (const auto status = parse_view(argc, argv, options)) return *status;
  // Waited for below; threads inherit the mask.
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ends, signal);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::string why;
  const std::string token = new_token();
  if (token.empty()) {
    say("the system has no random numbers");
    return kViewFailed;
  }
  LiveBoard board;
  const auto report = LiveReport::open(
      board,
      {options.paths, segments_of(options),
       options.title.empty() ? title_of(options) : options.title, options.filter,
       selection_of(options.filter), std::chrono::milliseconds(options.interval_ms)},
      &why);
  if (report == nullptr) {
    say(why);
    return kViewFailed;
  }
  const ServiceWatch services(
      board,
      [program = path_of("ringstat"), shm_dir = options.shm_dir] {
        return ask_services(program, shm_dir);
      },
      std::max(std::chrono::milliseconds(options.interval_ms), kServicesInterval));
  const Listening listening = options.socket.empty() ? listen_on_loopback(options.port, &why)
                                                     : listen_on_socket(options.socket, &why);
  if (listening.fd < 0) {
    say(why);
    return kViewFailed;
  }
  const ViewAccess access(listening.port, token);
  const auto server = ViewServer::start(listening.fd, board, access, control_of(options));
  if (server == nullptr) {
    say("cannot start a thread; raise the limit of processes");
    return kViewFailed;
  }
  if (listening.port) {
    say(fmt::format("open http://127.0.0.1:{}/#token={}", *listening.port, token));
  } else {
    say(fmt::format("listening on {}; the path of the page is /#token={}", options.socket, token));
  }
  int signal = 0;
  sigwait(&ends, &signal);
  if (!options.socket.empty()) remove_socket(options.socket, listening);
  return kViewOk;
}

}  // namespace

int main(int argc, char** argv) {
  if (!occupy_standard_descriptors()) return kViewFailed;
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    say(error.what());
    return kViewFailed;
  }
}
