// The service that the figures of EVALUATION.md need: threads that log one message back to back,
// all at the same time. It prints a JSON line: seconds from the first call until all records are in
// the trace file, and what was lost.

#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "perf/ringside/ringside_subject.hpp"

namespace {

using namespace ringside::perf;
using Log = void (*)(std::uint64_t records);

template <Case C>
void log_case(std::uint64_t records) {
  for (std::uint64_t i = 0; i < records; ++i) RingsideSubject::call<C>(0);
}

// The messages of the source's section 9.3; of 100 in a row, kMatching are the wanted ones.
template <unsigned kMatching>
void log_matching(std::uint64_t records) {
  for (std::uint64_t i = 0; i < records; ++i) {
    if (i % 100 < kMatching) {
      RS_INFO("Hello World # %d", static_cast<int>(i));
    } else {
      RS_INFO("UnrelatedLog #%d", static_cast<int>(i));
    }
  }
}

const std::vector<std::pair<std::string, Log>> kMessages{
    {"static", log_case<Case::static_text>}, {"string39", log_case<Case::string39>},
    {"integer", log_case<Case::integer>},    {"two_integers", log_case<Case::two_integers>},
    {"double", log_case<Case::floating>},    {"five_arguments", log_case<Case::five_arguments>},
    {"matching_0", log_matching<0>},         {"matching_1", log_matching<1>},
    {"matching_50", log_matching<50>},       {"matching_100", log_matching<100>}};

double logged_in_s(Log log, unsigned threads, std::uint64_t records) {
  std::barrier together(static_cast<std::ptrdiff_t>(threads) + 1);
  std::vector<std::thread> running;
  running.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) {
    running.emplace_back([&] {
      ringside::preallocate();
      together.arrive_and_wait();
      log(records / threads);
    });
  }
  together.arrive_and_wait();
  const auto begin = std::chrono::steady_clock::now();
  for (std::thread& thread : running) thread.join();
  ringside::flush(std::chrono::minutes(10));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return took.count();
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Logs one message from several threads at the same time.");
  std::string message = "static";
  unsigned threads = 1;
  std::uint64_t records = 1'000'000;
  app.add_option("--message", message, "static, string39, ..., matching_1");
  app.add_option("--threads", threads)->check(CLI::Range(1, 4096));
  app.add_option("--records", records, "of all threads together");
  CLI11_PARSE(app, argc, argv);
  Log log = nullptr;
  for (const auto& [name, of_name] : kMessages) {
    if (name == message) log = of_name;
  }
  if (log == nullptr) {
    std::fprintf(stderr, "load: unknown message '%s'\n", message.c_str());
    return 2;
  }
  ringside::init();
  // Until consumerd has adopted the segment, the records would have no consumer.
  if (!ringside::flush(std::chrono::seconds(10))) {
    std::fprintf(stderr, "load: no consumerd serves this process\n");
    return 1;
  }
  const double seconds = logged_in_s(log, threads, records);
  const ringside::Status status = ringside::status();
  std::printf("{\"seconds\":%.6f,\"records\":%lu,\"lost\":%lu}\n", seconds,
              records / threads * threads, status.dropped + status.refused);
  return status.dropped + status.refused == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "load: %s\n", error.what());
  return 1;
}
