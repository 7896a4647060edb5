// What scrapes of many services take, and from whom.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>

#include "consumerd/listening_socket.hpp"
#include "consumerd_process.hpp"
#include "scripted_service.hpp"
#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kPhaseUs = 300'000;
constexpr int kPhases = 7;

// 100, or as many as whoever measures wants.
unsigned services_wanted() {
  const char* const text = std::getenv("RINGSIDE_TEST_SERVICES");  // NOLINT(concurrency-mt-unsafe)
  return text == nullptr ? 100 : static_cast<unsigned>(std::atoi(text));
}

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

// The whole answer; empty if nobody listens.
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

// Of the poll loop, whose thread is the process's first.
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

TEST(MetricsCost, OfScrapesOfManyServicesIsPrinted) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  std::vector<std::unique_ptr<ScriptedService>> services;
  const unsigned count = services_wanted();
  for (unsigned i = 0; i < count; ++i) {
    services.push_back(
        std::make_unique<ScriptedService>(shm.path(), "svc" + std::to_string(i), i + 1, 2));
  }
  // The same work for each consumerd.
  const auto drain = [&](const ConsumerdProcess& consumerd) {
    for (const auto& service : services) service->publish(0, 100);
    ASSERT_TRUE(comes_true([&] {
      return std::all_of(services.begin(), services.end(), [](const auto& service) {
        return service->ring(0).consumer.written_pos.load() ==
               service->published(0) * ScriptedService::kRecordBytes;
      });
    })) << consumerd.error_output();
  };
  std::string memory_without;
  {
    ConsumerdProcess without({"-o", out.path(), "--shm-dir", shm.path()});
    drain(without);
    memory_without = status_of(without.pid(), "VmHWM");
    EXPECT_EQ(without.terminate(), 0);
  }
  const std::string address = free_address();
  ConsumerdProcess consumerd({"-o", out.path(), "--shm-dir", shm.path(), "--metrics", address});
  drain(consumerd);
  const std::string last =
      "ringside_records_total{service=\"svc" + std::to_string(count - 1) + "\"} 100\n";
  ASSERT_TRUE(comes_true([&] { return scrape(address).find(last) != std::string::npos; }))
      << consumerd.error_output();
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
  std::printf("while it is scraped without pause, rounds a second: %s of those in quiet, ",
              spread(paces).c_str());
  std::printf("processor time of a round: %s; memory at most %s, without metrics %s\n",
              spread(costs).c_str(), status_of(consumerd.pid(), "VmHWM").c_str(),
              memory_without.c_str());
  EXPECT_GT(page_bytes, count * 1000U);
  EXPECT_EQ(consumerd.terminate(), 0);
}

}  // namespace
}  // namespace ringside::consumer_test
