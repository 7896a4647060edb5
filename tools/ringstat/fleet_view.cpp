#include "tools/ringstat/fleet_view.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <ncurses.h>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "tools/fleet/fleet_address.hpp"
#include "tools/fleet/reader_process.hpp"
#include "tools/ringstat/fleet_text.hpp"
#include "tools/ringstat/ringstat_exit_codes.hpp"
#include "tools/ringstat/terminal.hpp"
#include "tools/text/error_text.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {
namespace {

constexpr int kKeyWaitMs = 100;

int fail_with(const std::string& text) {
  std::fprintf(stderr, "ringstat: %s\n", trace::visible(text).c_str());
  return kStatFailed;
}

std::int64_t unix_now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// The next status; empty with `*why` if there will be none, or without it after `timeout_ms`.
std::optional<fleet::FleetStatus> next_status(fleet::ReaderProcess& reader, int timeout_ms,
                                              std::string* note, std::string* why) {
  while (const auto line = reader.next(timeout_ms)) {
    fleet::FleetStatus status;
    if (line->kind == "status" && fleet::read_fleet_status(line->text, status)) return status;
    if (line->kind == "note") *note = line->text;
    if (line->kind == "failed") {
      *why = line->text;
      return {};
    }
  }
  if (reader.has_ended()) *why = "fleet-reader ended; try again";
  return {};
}

int print_status(const fleet::FleetStatus& status, bool as_json) {
  const std::int64_t now_ns = unix_now_ns();
  const std::string text =
      as_json ? fleet_json(status, now_ns)
                        .dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) +
                    "\n"
              : fleet_text(status, now_ns);
  const bool taken = std::fputs(text.c_str(), stdout) >= 0;
  // A reader that stops early (head) is not a failure.
  if ((std::fflush(stdout) != 0 || !taken) && errno != EPIPE) {
    return fail_with("cannot write: " + error_text(errno));
  }
  return kStatOk;
}

void draw_lines(const std::string& text) {
  erase();
  int line = 0;
  for (std::string_view rest = text; !rest.empty() && line < LINES; ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    Terminal::put(line, 0, rest.substr(0, end), A_NORMAL, COLS);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  refresh();
}

// Until `stop`, or the key q. False with `*why` if it cannot go on.
bool show_live(fleet::ReaderProcess& reader, const std::string& title,
               const std::atomic<bool>& stop, std::string* why) {
  Terminal terminal;
  *why = terminal.fault();
  if (!why->empty()) return false;
  std::optional<fleet::FleetStatus> last;
  std::string note;
  while (!stop.load(std::memory_order_relaxed)) {
    auto status = next_status(reader, 0, &note, why);
    if (!why->empty()) return false;
    if (status) {
      last = std::move(status);
      note.clear();
    }
    draw_lines(fmt::format("{}\n\n{}\n{}\nq: quit", title,
                           last ? fleet_text(*last, unix_now_ns()) : "waiting\n", note));
    timeout(kKeyWaitMs);
    if (getch() == 'q') return true;
  }
  return true;
}

}  // namespace

int show_fleet(const RingstatOptions& options, const std::atomic<bool>& stop) {
  const std::string shown = fleet::shown_fleet_address(options.fleet);
  std::string why;
  fleet::FleetAddress address;
  if (!fleet::parse_fleet_address(options.fleet, address, &why)) return fail_with(why);
  fleet::ReaderRequest request;
  request.what = fleet::ReaderRequest::What::kStatus;
  request.access = options.fleet_access;
  request.access.servers = address.servers;
  request.host = address.host;
  if (!options.once) request.interval_ms = options.interval_ns / 1'000'000;
  const auto reader = fleet::ReaderProcess::start(request, &why);
  if (reader == nullptr) return fail_with(shown + ": " + why);
  if (!options.once) {
    return show_live(*reader, shown, stop, &why) ? kStatOk : fail_with(shown + ": " + why);
  }
  std::string note;
  const auto status = next_status(*reader, -1, &note, &why);
  if (!status) return fail_with(shown + ": " + why);
  const int result = print_status(*status, options.json);
  if (result != kStatOk || !status->hosts.empty()) return result;
  fail_with(shown + ": no host has sent its status; check that ringship runs, and --tenant");
  return kStatNobody;
}

}  // namespace ringside::tool
