// Cost of scraping the metrics of many services, and its effect on consumerd: scripted services of
// the tests, drained by consumerd.
//
// usage: scrape_cost [SERVICES]    (100 by default)
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <netinet/in.h>
#include <sys/resource.h>

#include "consumerd/metrics/listening_socket.hpp"
#include "tests/consumerd/consumerd_process.hpp"
#include "tests/consumerd/scripted_service.hpp"
#include "tests/consumerd/temporary_directory.hpp"

namespace {

using namespace ringside;
using namespace ringside::consumer_test;
using Clock = std::chrono::steady_clock;

constexpr unsigned kPhaseUs = 300'000;
constexpr int kPhases = 7;

std::string free_address() {
  const consumer::UniqueFd any_free(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  auto* const place = reinterpret_cast<sockaddr*>(&address);
  if (bind(any_free.get(), place, bytes) != 0 || getsockname(any_free.get(), place, &bytes) != 0) {
    return {};
  }
  return "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

// The whole answer; empty if the connection fails.
std::string scrape(const std::string& address) {
  const auto server = consumer::parse_listening_address(address);
  const consumer::UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&server->address), server->bytes) != 0) {
    return {};
  }
  const std::string request = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
  if (send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0) return {};
  std::string answer;
  std::vector<char> some(1U << 20);
  for (ssize_t got = 0; (got = recv(fd.get(), some.data(), some.size(), 0)) > 0;) {
    answer.append(some.data(), static_cast<std::size_t>(got));
  }
  return answer;
}

std::string status_of(pid_t pid, const std::string& key) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(key + ":")) return line.substr(line.find_first_of("0123456789"));
  }
  return "?";
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string spread(std::vector<double> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  char text[64];
  std::snprintf(text, sizeof text, "%.2f (%.2f to %.2f)", median(values), *least, *most);
  return text;
}

// Of the poll loop, which runs in the first thread of the process.
struct Work {
  double rounds_per_s = 0;
  double ns_per_round = 0;
};

template <class Meanwhile>
Work work_while(pid_t pid, const std::atomic<std::uint64_t>& heartbeat, Meanwhile meanwhile) {
  const auto processor_ns = [pid] {
    const std::string thread = std::to_string(pid);
    std::ifstream in("/proc/" + thread + "/task/" + thread + "/schedstat");
    double ns = 0;
    in >> ns;
    return ns;
  };
  const double ns = processor_ns();
  const std::uint64_t beats = heartbeat.load();
  const auto begin = Clock::now();
  meanwhile();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const auto rounds = static_cast<double>(heartbeat.load() - beats);
  return {rounds / seconds, (processor_ns() - ns) / rounds};
}

int fail(const std::string& what) {
  std::fprintf(stderr, "scrape_cost: %s\n", what.c_str());
  return 1;
}

int measure(unsigned count) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  std::vector<std::unique_ptr<ScriptedService>> services;
  for (unsigned i = 0; i < count; ++i) {
    services.push_back(
        std::make_unique<ScriptedService>(shm.path(), "svc" + std::to_string(i), i + 1, 2));
  }
  // The same work for each consumerd.
  const auto drain = [&] {
    for (const auto& service : services) service->publish(0, 100);
    return comes_true([&] {
      return std::all_of(services.begin(), services.end(), [](const auto& service) {
        return service->ring(0).consumer.written_pos.load() ==
               service->published(0) * ScriptedService::kRecordBytes;
      });
    });
  };
  std::string memory_without;
  {
    ConsumerdProcess without({"-o", out.path(), "--shm-dir", shm.path()});
    if (!drain()) return fail("not drained: " + without.error_output());
    memory_without = status_of(without.pid(), "VmHWM");
    if (without.terminate() != 0) return fail("consumerd failed: " + without.error_output());
  }
  const std::string address = free_address();
  ConsumerdProcess consumerd({"-o", out.path(), "--shm-dir", shm.path(), "--metrics", address});
  if (!drain()) return fail("not drained: " + consumerd.error_output());
  const std::string last =
      "ringside_records_total{service=\"svc" + std::to_string(count - 1) + "\"} 100\n";
  if (!comes_true([&] { return scrape(address).find(last) != std::string::npos; })) {
    return fail("no metrics of the last service: " + consumerd.error_output());
  }
  const auto& heartbeat = services[0]->control().consumer.heartbeat;
  std::vector<double> paces;
  std::vector<double> costs;
  std::vector<double> scrapes_ms;
  std::size_t page_bytes = 0;
  for (int phase = 0; phase < kPhases; ++phase) {
    const Work quiet = work_while(consumerd.pid(), heartbeat, [] { usleep(kPhaseUs); });
    const Work scraped = work_while(consumerd.pid(), heartbeat, [&] {
      const auto end = Clock::now() + std::chrono::microseconds(kPhaseUs);
      while (Clock::now() < end) {
        const auto asked = Clock::now();
        page_bytes = scrape(address).size();
        scrapes_ms.push_back(
            std::chrono::duration<double, std::milli>(Clock::now() - asked).count());
      }
    });
    paces.push_back(scraped.rounds_per_s / quiet.rounds_per_s);
    costs.push_back(scraped.ns_per_round / quiet.ns_per_round);
  }
  std::printf("%u services: a page of %zu KiB, scraped in %.1f ms (quietest %.1f); ", count,
              page_bytes >> 10, median(scrapes_ms),
              *std::min_element(scrapes_ms.begin(), scrapes_ms.end()));
  std::printf("scraped without a pause: rounds per second %s of the rate without scrapes, ",
              spread(paces).c_str());
  std::printf("processor time per round %s; peak memory %s, without metrics %s\n",
              spread(costs).c_str(), status_of(consumerd.pid(), "VmHWM").c_str(),
              memory_without.c_str());
  return consumerd.terminate() == 0 ? 0 : fail("consumerd failed: " + consumerd.error_output());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const unsigned long count = argc == 2 ? std::strtoul(argv[1], nullptr, 10) : 100;
    if (argc > 2 || count == 0) return fail("usage: scrape_cost [SERVICES]");
    return measure(static_cast<unsigned>(count));
  } catch (const std::exception& e) {
    return fail(e.what());
  }
}
