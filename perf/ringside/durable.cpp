// The cost of durability: the rate of one producer with each consumerd --sync, and how long flush()
// and flush_durable() take. Beside them a writer that opens its file with O_DSYNC, as NanoLog does,
// with buffers of the size of a staging slot, and of NanoLog's. All in turns, on the disk of
// TMPDIR.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include <sys/mman.h>
#include <sys/vfs.h>

#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/harness/spread.hpp"
#include "perf/ringside/isolated_run.hpp"
#include "perf/ringside/random_messages.hpp"
#include "perf/ringside/trace_directory.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside::perf;
using Clock = std::chrono::steady_clock;

constexpr int kRecords = 6'000'000;
constexpr int kFlushes = 40;
constexpr std::size_t kWrittenBytes = std::size_t{256} << 20;
constexpr std::array kModes = {"none", "interval=100ms", "always"};
struct Writer {
  const char* name;
  std::size_t buffer_bytes;
};
constexpr std::array kWriters = {Writer{"o_dsync_2m", std::size_t{2} << 20},
                                 Writer{"o_dsync_64m", std::size_t{64} << 20}};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Of one turn; in memory that the measuring process shares.
struct Figures {
  double written_rate;  // M/s until everything is in the file
  double durable_rate;  // M/s until everything is synced
  double file_rate;     // MB/s of the file, until everything is synced
  double flush_ms;      // medians
  double durable_flush_ms;
};

template <Case C>
double flush_ms(const RandomMessages& messages, bool durable) {
  std::vector<double> times;
  for (int i = 0; i < kFlushes; ++i) {
    messages.call<C>(i);
    const auto start = Clock::now();
    const bool done = durable ? ringside::flush_durable(std::chrono::seconds(30))
                              : ringside::flush(std::chrono::seconds(30));
    if (!done) return 0;
    times.push_back(seconds_since(start) * 1e3);
  }
  return spread_of(times).median;
}

template <Case C>
int run_mode(const std::string& mode, const std::string& disk, int records, Figures* figures) {
  TracedRun run(disk, {}, Outputs::trace, {"--sync", mode});
  if (run.ready() != kExitOk) return run.ready();
  const RandomMessages messages;
  const auto start = Clock::now();
  for (int i = 0; i < records; ++i) messages.call<C>(i);
  const bool written = ringside::flush(std::chrono::seconds(60));
  const double written_s = seconds_since(start);
  const bool durable = ringside::flush_durable(std::chrono::seconds(60));
  const double durable_s = seconds_since(start);
  if (!written || !durable) return kExitDoesNotCount;
  figures->written_rate = records / written_s / 1e6;
  figures->durable_rate = records / durable_s / 1e6;
  figures->file_rate = static_cast<double>(trace_bytes(run.output_dir())) / durable_s / 1e6;
  figures->flush_ms = flush_ms<C>(messages, false);
  figures->durable_flush_ms = flush_ms<C>(messages, true);
  return run.finish();
}

// MB/s; 0 on failure.
double o_dsync_rate(const std::string& disk, std::size_t buffer_bytes, std::size_t bytes) {
  std::string path = disk + "/ringside-o-dsync-XXXXXX";
  const int made = mkstemp(path.data());
  if (made < 0) return 0;
  close(made);
  const int fd = open(path.c_str(), O_WRONLY | O_APPEND | O_DSYNC | O_CLOEXEC);
  const std::vector<char> buffer(buffer_bytes, 'x');
  const auto start = Clock::now();
  std::size_t written = 0;
  while (fd >= 0 && written < bytes) {
    const ssize_t done = write(fd, buffer.data(), std::min(buffer_bytes, bytes - written));
    if (done <= 0) break;
    written += static_cast<std::size_t>(done);
  }
  const double seconds = seconds_since(start);
  if (fd >= 0) close(fd);
  unlink(path.c_str());
  return written < bytes ? 0 : static_cast<double>(bytes) / seconds / 1e6;
}

template <class Get>
Spread spread(const std::vector<Figures>& turns, Better better, Get get) {
  std::vector<double> values;
  for (const Figures& turn : turns) values.push_back(get(turn));
  return spread_of(values, better);
}

void print(const char* message, const char* mode, const std::vector<Figures>& turns,
           const std::vector<Figures>& none) {
  const auto line = [&] {
    ResultLine of("durable", "ringside", message);
    of.with("sync", mode);
    return of;
  };
  std::vector<double> ratios;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    ratios.push_back(turns[i].written_rate / none[i].written_rate);
  }
  line().print("ratio_to_none", "x", spread_of(ratios, Better::higher));
  line().print("rate", "M/s",
               spread(turns, Better::higher, [](const Figures& f) { return f.written_rate; }));
  line().print("durable_rate", "M/s",
               spread(turns, Better::higher, [](const Figures& f) { return f.durable_rate; }));
  line().print("file", "MB/s",
               spread(turns, Better::higher, [](const Figures& f) { return f.file_rate; }));
  line().print("flush", "ms",
               spread(turns, Better::lower, [](const Figures& f) { return f.flush_ms; }));
  line().print("flush_durable", "ms",
               spread(turns, Better::lower, [](const Figures& f) { return f.durable_flush_ms; }));
}

template <Case C>
int measure(const RunOptions& options, const std::string& disk, Figures* shared) {
  if (!options.wants_case(C)) return kExitOk;
  std::array<std::vector<Figures>, kModes.size()> turns;
  std::array<std::vector<double>, kWriters.size()> written;
  const int repeats = options.repeats_or_one();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t i = 0; i < kModes.size(); ++i) {
      // The first in turn differs.
      const std::size_t mode = (i + static_cast<std::size_t>(repeat)) % kModes.size();
      const int status = in_child_process(
          [&] { return run_mode<C>(kModes[mode], disk, options.scaled(kRecords), shared); });
      if (status != kExitOk) return status;
      turns[mode].push_back(*shared);
    }
    for (std::size_t i = 0; i < kWriters.size(); ++i) {
      const std::size_t bytes = options.quick ? kWrittenBytes / 4 : kWrittenBytes;
      written[i].push_back(o_dsync_rate(disk, kWriters[i].buffer_bytes, bytes));
      if (written[i].back() == 0) return kExitDoesNotCount;
    }
  }
  for (std::size_t mode = 0; mode < kModes.size(); ++mode) {
    print(name_of(C), kModes[mode], turns[mode], turns[0]);
  }
  for (std::size_t i = 0; i < kWriters.size(); ++i) {
    ResultLine("durable", kWriters[i].name, name_of(C))
        .print("file", "MB/s", spread_of(written[i], Better::higher));
  }
  return kExitOk;
}

bool is_in_memory(const std::string& directory) {
  constexpr long kTmpfs = 0x01021994;
  struct statfs info {};
  return statfs(directory.c_str(), &info) == 0 && info.f_type == kTmpfs;
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row durable of Ringside.", &exit_code);
  if (!options) return exit_code;
  const std::string disk = std::filesystem::temp_directory_path();
  if (is_in_memory(disk)) {
    ResultLine("durable", "ringside", "all")
        .print_not_measured(
            "the folder for temporary files is in memory; set TMPDIR to one on disk");
    return kExitOk;
  }
  auto* const shared = static_cast<Figures*>(
      mmap(nullptr, sizeof(Figures), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (shared == MAP_FAILED) return kExitNotPossible;
  int status = measure<Case::integer>(*options, disk, shared);
  if (status == kExitOk) status = measure<Case::string39>(*options, disk, shared);
  return status;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
