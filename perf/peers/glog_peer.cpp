// glog has no background thread: the caller formats and writes into a buffer of the C library,
// which is written out at every megabyte (logbufsecs at its default of 30 s).

#include <cstdio>
#include <exception>
#include <iomanip>

#include <glog/logging.h>

#include "perf/peers/peer_rows.hpp"

namespace {

using namespace ringside::perf;

struct GlogPeer {
  static constexpr const char* kName = "glog";
  static constexpr int kRecords = 100'000;

  static RecordCostPlan plan() {
    RecordCostPlan plan;
    plan.bursts.pairs = 60;
    return plan;
  }

  static void open(const std::string& folder, Processors /*processors*/) {
    google::SetLogDestination(google::GLOG_INFO, (folder + "/log.").c_str());
  }
  static Written close() {
    google::FlushLogFiles(google::GLOG_INFO);
    return {__builtin_ia32_rdtsc()};
  }
  static std::uint64_t missing(const std::string& folder, std::uint64_t logged) {
    return missing_lines(folder, logged);
  }
  static void settle() {}

  template <Case C>
  [[gnu::always_inline]] static void call(int /*i*/) {
    if constexpr (C == Case::static_text) {
      LOG(INFO) << "Starting backup replica garbage collector thread";
    } else if constexpr (C == Case::string39) {
      LOG(INFO) << "Opened session with coordinator at " << string39();
    } else if constexpr (C == Case::integer) {
      LOG(INFO) << "Backup storage speeds (min): " << integer() << " MB/s read";
    } else if constexpr (C == Case::two_integers) {
      LOG(INFO) << "Buffer has consumed " << two_integers_first()
                << " bytes of extra storage, current allocation: " << two_integers_second()
                << " bytes";
    } else if constexpr (C == Case::floating) {
      LOG(INFO) << "Using tombstone ratio balancer with ratio = " << std::fixed
                << std::setprecision(6) << floating();
    } else {
      LOG(INFO) << "Initialized InfUdDriver buffers: " << five_first() << " receive buffers ("
                << five_second() << " MB), " << five_third() << " transmit buffers ("
                << five_fourth() << " MB), took " << std::fixed << std::setprecision(1)
                << five_fifth() << " ms";
    }
  }
};

}  // namespace

int main(int argc, char** argv) try {
  FLAGS_stderrthreshold = google::NUM_SEVERITIES;
  google::SetLogSymlink(google::GLOG_INFO, "");
  google::InitGoogleLogging(argv[0]);
  return run_peer<GlogPeer>(argc, argv);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
