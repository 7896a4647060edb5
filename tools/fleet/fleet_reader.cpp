// fleet-reader: fetches what ringcat and ringstat show of a fleet (README.md, "fleet-reader").

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <poll.h>
#include <string>
#include <unistd.h>

#include <fmt/format.h>

#include "tools/fleet/extent_subject.hpp"
#include "tools/fleet/fleet_process.hpp"
#include "tools/fleet/nats_connection.hpp"
#include "tools/fleet/nats_ordered_queue.hpp"
#include "tools/fleet/private_directory.hpp"
#include "tools/fleet/reader_request.hpp"
#include "tools/fleet/status_watch.hpp"
#include "tools/fleet/trace_spool.hpp"
#include "tools/text/standard_descriptors.hpp"

namespace {

using namespace ringside::fleet;

constexpr int kStepMs = 200;
constexpr std::size_t kMostRequestBytes = 65536;

// One line for the program that reads; false if that is gone.
bool tell(const std::string& kind, std::string text = {}) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  const std::string line = text.empty() ? kind + "\n" : kind + " " + text + "\n";
  return std::fwrite(line.data(), 1, line.size(), stdout) == line.size() && fflush(stdout) == 0;
}

int fail(const std::string& why) {
  tell("failed", why);
  return kFleetFailed;
}

// Whether the program that reads has closed its end. Waits `timeout_ms`; negative: without limit.
bool shall_end(int timeout_ms) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, timeout_ms) > 0 && input.revents != 0;
}

bool read_request(ReaderRequest& request) {
  std::string line;
  char byte = 0;
  while (line.size() < kMostRequestBytes) {
    const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    if (byte == '\n') return read_reader_request(line, request);
    line += byte;
  }
  return false;
}

NatsOptions nats_options(const ServerAccess& access) {
  NatsOptions options;
  options.servers = access.servers;
  options.credentials_file = access.credentials_file;
  options.nkey_seed_file = access.nkey_seed_file;
  options.ca_file = access.ca_file;
  options.certificate_file = access.certificate_file;
  options.key_file = access.key_file;
  options.tenant = access.tenant;
  options.connection_name = "fleet-reader";
  return options;
}

std::string part_or_all(const std::string& name) {
  return name.empty() ? "*" : subject_part(name);
}

std::string nothing_stored(const ReaderRequest& request) {
  std::string what = "no traces";
  if (!request.service.empty()) what += fmt::format(" of the service '{}'", request.service);
  if (!request.host.empty()) what += fmt::format(" of the host '{}'", request.host);
  if (!request.snapshot.empty()) what += fmt::format(" of the snapshot '{}'", request.snapshot);
  return fmt::format("{} are stored for the tenant '{}'", what, request.access.tenant);
}

int read_traces(const ReaderRequest& request, NatsConnection& connection) {
  std::string why;
  OrderedOptions options;
  options.filter = fmt::format("rs.ext.{}.{}.{}.*", subject_part(request.access.tenant),
                               part_or_all(request.host), part_or_all(request.service));
  if (!request.snapshot.empty()) options.filter += "." + subject_part(request.snapshot);
  options.begin = static_cast<OrderedOptions::Begin>(request.begin);
  options.begin_ns = request.begin_ns;
  auto queue = NatsOrderedQueue::open(connection, options, &why);
  if (queue == nullptr) return fail(why);
  if (!queue->had_messages() && request.begin == ReaderRequest::Begin::kTime && !request.follows) {
    // An older message shows that there are such traces, and none of that time.
    options.begin = OrderedOptions::Begin::kLast;
    queue = NatsOrderedQueue::open(connection, options, &why);
    if (queue == nullptr) return fail(why);
  }
  if (!queue->had_messages() && request.begin != ReaderRequest::Begin::kNow &&
      options.begin != OrderedOptions::Begin::kTime) {
    const std::string nothing = nothing_stored(request);
    if (!request.follows) return fail(nothing + "; ringstat --fleet lists the hosts");
    tell("note", nothing + " yet; waiting for them");
  }
  const auto directory = PrivateDirectory::create(&why);
  if (directory == nullptr) return fail(why);
  const auto spool = TraceSpool::open(
      directory->path(), request.most_bytes, *queue,
      [](const std::string& text) { tell("damage", text); }, &why);
  if (spool == nullptr) return fail(why);
  tell("directory", directory->path());
  bool is_complete = false;
  std::string told;
  while (!shall_end(0) && !connection.is_closed()) {
    if (!is_complete && queue->is_complete() && !spool->is_waiting()) {
      is_complete = true;
      if (!tell("complete")) return kFleetFailed;
    }
    if (is_complete && !request.follows) {
      shall_end(-1);
      continue;
    }
    if (!spool->step(kStepMs, &why)) {
      fail(why);
      // What was read before can still be shown: the directory remains until then.
      while (!shall_end(-1)) {
      }
      return kFleetFailed;
    }
    if (spool->is_waiting()) shall_end(kStepMs);
    if (queue->why() != told && !queue->why().empty()) tell("note", queue->why());
    told = queue->why();
  }
  return connection.is_closed() ? fail(
                                      "the server refuses the credentials; correct --creds, --nkey "
                                      "or the password in the address")
                                : kFleetOk;
}

// One line at the first time, and after each interval.
int read_status(const ReaderRequest& request, NatsConnection& connection) {
  std::string why;
  const auto watch = StatusWatch::open(connection, request.access.tenant, request.host, &why);
  if (watch == nullptr) return fail(why);
  std::uint64_t next_ms = 0;
  while (!shall_end(0) && !connection.is_closed()) {
    watch->step(kStepMs);
    if (!watch->is_complete() || monotonic_ms() < next_ms) continue;
    FleetStatus status;
    if (!watch->state(status, &why)) {
      if (request.interval_ms == 0) return fail(why);
      tell("note", why);
    } else if (!tell("status", write_fleet_status(status))) {
      return kFleetFailed;
    }
    if (request.interval_ms == 0) return kFleetOk;
    next_ms = monotonic_ms() + request.interval_ms;
  }
  return connection.is_closed() ? fail(
                                      "the server refuses the credentials; correct --creds, --nkey "
                                      "or the password in the address")
                                : kFleetOk;
}

int run() {
  // Those of a terminal or a service manager are for the program that reads, too: when it has shown
  // everything and ends, the pipe is closed. A lost connection shall be an error of its write.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) std::signal(number, SIG_IGN);
  ReaderRequest request;
  if (!read_request(request)) {
    complain("fleet-reader", "invalid request; ringcat and ringstat start this program");
    return kFleetUsage;
  }
  std::string why;
  const auto connection = NatsConnection::open(nats_options(request.access), &why);
  if (connection == nullptr) return fail(why);
  return request.what == ReaderRequest::What::kStatus ? read_status(request, *connection)
                                                      : read_traces(request, *connection);
}

}  // namespace

int main() {
  if (!ringside::tool::occupy_standard_descriptors()) return kFleetFailed;
  try {
    return run();
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}
