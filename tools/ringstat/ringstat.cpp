// ringstat: shows the state of the tracing of services.

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "tools/ringstat/call_cost_text.hpp"
#include "tools/ringstat/fleet_view.hpp"
#include "tools/ringstat/ringstat_exit_codes.hpp"
#include "tools/ringstat/ringstat_options.hpp"
#include "tools/ringstat/segment_watch.hpp"
#include "tools/ringstat/session_view.hpp"
#include "tools/ringstat/status_alert.hpp"
#include "tools/ringstat/status_json.hpp"
#include "tools/ringstat/status_screen.hpp"
#include "tools/ringstat/status_text.hpp"
#include "tools/text/error_text.hpp"
#include "tools/text/standard_descriptors.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace {

using namespace ringside::tool;

std::atomic<bool> g_stop{false};

void request_stop(int /*signal*/) {
  g_stop.store(true, std::memory_order_relaxed);
}

void complain(const std::string& text) {
  std::fprintf(stderr, "ringstat: %s\n", ringside::trace::visible(text).c_str());
}

// The text below a service's line: remarks, threads, statements that ran or were counted.
std::string service_text(const ServiceView& service) {
  std::string text =
      fmt::format("\n{} {}\n", ringside::trace::visible(service.now.service), service.now.pid);
  for (const StatusCell& remark : service_remarks(service)) text += remark.text + "\n";
  std::vector<std::size_t> order;
  const StatusTable threads = thread_table(service, SortBy::kRate, &order);
  if (!threads.rows.empty()) text += "\n" + table_text(threads);
  const StatusTable costs = call_cost_table(service.now.call_costs, service.now.tick_hz);
  if (!costs.rows.empty()) text += "\nLOG CALLS, ALL THREADS\n" + table_text(costs);
  StatusTable statements = statement_table(service, SortBy::kRate, &order);
  std::erase_if(statements.rows, [&service](const auto& row) {
    const bool has_none = !service.has_executions || (row[4].text == "0" && row[5].text == "0");
    return row[2].text == "0.0%" && row[3].text == "0" && has_none;
  });
  if (!statements.rows.empty()) text += "\n" + table_text(statements);
  return text;
}

int print_once(const RingstatOptions& options) {
  SegmentWatch watch(options.services);
  std::string why;
  for (int look = 0; look < 2; ++look) {
    if (look != 0) std::this_thread::sleep_for(std::chrono::nanoseconds(options.interval_ns));
    if (!watch.look(&why)) {
      complain(why);
      return kStatFailed;
    }
  }
  for (const std::string& trouble : watch.troubles()) complain(trouble);
  const std::vector<ServiceView>& services = watch.services();
  const std::vector<SessionView> sessions = sessions_in(options.services.shm_dir);
  std::string text;
  if (options.json) {
    const auto object = status_json(services, sessions, watch.troubles(), options.interval_ns);
    text = object.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  } else if (!services.empty()) {
    std::vector<std::size_t> order;
    text = table_text(service_table(services, SortBy::kName, false, &order));
    if (!sessions.empty()) text += "\n" + table_text(session_table(sessions));
    for (const ServiceView& service : services) text += service_text(service);
  }
  const bool taken = std::fputs(text.c_str(), stdout) >= 0;
  // A reader that stops early (head) is not a failure.
  if ((std::fflush(stdout) != 0 || !taken) && errno != EPIPE) {
    complain("cannot write: " + error_text(errno));
    return kStatFailed;
  }
  if (!watch.troubles().empty()) return kStatFailed;
  if (!services.empty()) return kStatOk;
  complain(no_such_service(options.services));
  return kStatNobody;
}

}  // namespace

int main(int argc, char** argv) {
  if (!occupy_standard_descriptors()) return kStatFailed;
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGTERM, request_stop);
  std::signal(SIGINT, request_stop);
  try {
    int exit_status = kStatOk;
    const auto options = parse_ringstat_options(argc, argv, &exit_status);
    // Help and version are in a buffer.
    if (!options && exit_status == kStatOk && !flush_standard_output()) {
      complain("cannot write: " + error_text(errno));
      return kStatFailed;
    }
    if (!options) return exit_status;
    if (!options->fleet.empty()) return show_fleet(*options, g_stop);
    if (options->once) return print_once(*options);
    if (options->watch_exit) return run_status_alert(*options, g_stop);
    std::string why;
    if (run_status_screen(*options, g_stop, &why)) return kStatOk;
    complain(why);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ringstat: %s\n", error.what());
  }
  return kStatFailed;
}
