// Cost for consumerd of checking rings that have no new records: one poll round over all rings of a
// segment, measured in process.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "consumerd/session/segment_session.hpp"
#include "perf/harness/processors.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/harness/tsc_rate.hpp"
#include "perf/ringside/temporary_directory.hpp"
#include "tests/consumerd/scripted_service.hpp"

namespace {

using namespace ringside;
using namespace ringside::perf;

constexpr int kRounds = 20'000;

int measure(std::uint32_t rings, const RunOptions& options) {
  const TemporaryDirectory shm("/dev/shm");
  const TemporaryDirectory out("/dev/shm");
  const consumer::Log log;
  std::string why;
  consumer_test::ScriptedService service(shm.path(), "svc", 1, rings);
  const auto staging = consumer::StagingFile::create(shm.path(), &why);
  if (staging == nullptr) {
    std::fprintf(stderr, "%s\n", why.c_str());
    return kExitNotPossible;
  }
  const auto io = consumer::make_pwrite_io();
  consumer::SlotWriter writer(*staging, *io, log);
  consumer::AttachFailure failure;
  auto attached = consumer::AttachedSegment::attach(shm.path(), service.name(), &failure);
  if (attached == nullptr) {
    std::fprintf(stderr, "cannot attach a segment of %u rings\n", rings);
    return kExitNotPossible;
  }
  auto session =
      consumer::SegmentSession::start(std::move(attached), out.path(), writer, *staging, log, &why);
  if (session == nullptr) {
    std::fprintf(stderr, "%s\n", why.c_str());
    return kExitNotPossible;
  }
  for (std::uint32_t ring = 0; ring < rings; ++ring) service.publish(ring, 1);
  session->poll();
  std::vector<double> ns;
  bool idle = true;
  for (int round = 0; round < options.scaled(kRounds); ++round) {
    const std::uint64_t start = __builtin_ia32_rdtsc();
    idle = session->poll().ring_bytes == 0 && idle;
    ns.push_back(static_cast<double>(__builtin_ia32_rdtsc() - start) / tsc_ticks_per_ns());
    writer.poll(false);
  }
  session->begin_end(trace::EndReason::kConsumerEnded);
  while (session->try_end() != consumer::SegmentSession::End::kOver) writer.poll(true);
  if (!idle) {
    std::fprintf(stderr, "rings that should be idle had data: invalid figures\n");
    return kExitDoesNotCount;
  }
  ResultLine("poll_round", "ringside", "idle")
      .with("rings", static_cast<std::int64_t>(rings))
      .print("round", "ns", spread_of(ns));
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row poll_round of Ringside.", &exit_code);
  if (!options) return exit_code;
  if (const auto processors = choose_processors()) pin_to(processors->measured);
  for (const std::uint32_t rings : {1U, 64U, 1024U, 4096U}) {
    const int status = measure(rings, *options);
    if (status != kExitOk) return status;
  }
  return kExitOk;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
