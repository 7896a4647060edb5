// Time from a log call until its record can be read from the trace file: a follower polls the file
// without a pause, through the trace library, until it contains a whole block with the record.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <thread>
#include <vector>

#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/trace_directory.hpp"
#include "perf/ringside/traced_run.hpp"
#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/blocks/trace_file.hpp"
#include "trace-format/codec/extent_decoder.hpp"

namespace {

using namespace ringside;
using namespace ringside::perf;

constexpr int kSamples = 40;
constexpr auto kPatience = std::chrono::seconds(10);

// Continues after the last whole block.
class Follower {
 public:
  explicit Follower(std::string path) : path_(std::move(path)) {}

  // Number of records in the file so far.
  std::uint64_t records() {
    trace::ReadError error;
    const auto file = trace::TraceFile::open(path_, &error);
    if (file == nullptr || file->size() == offset_) return records_;
    trace::BlockReader reader(*file, 0, file->size(), nullptr);
    trace::Block block;
    while (reader.read_at(offset_, block)) {
      offset_ = block.offset + block.frame.block_bytes();
      trace::ExtentHeader header;
      if (block.frame.type == trace::BlockType::kExtent &&
          trace::ExtentHeader::parse(block.payload, header)) {
        records_ += header.records;
      }
    }
    return records_;
  }

 private:
  std::string path_;
  std::uint64_t offset_ = 0;
  std::uint64_t records_ = 0;
};

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row readable of Ringside.", &exit_code);
  if (!options) return exit_code;
  TracedRun run;
  if (run.ready() != kExitOk) return run.ready();
  RingsideSubject::call<Case::two_integers>(0);
  flush(std::chrono::seconds(10));
  const std::vector<std::string> files = trace_files(run.output_dir());
  if (files.size() != 1) {
    std::fprintf(stderr, "%zu trace files instead of one\n", files.size());
    return kExitDoesNotCount;
  }
  Follower follower(files.front());
  std::vector<double> ms;
  std::uint64_t expected = follower.records();
  for (int i = 0; i < options->scaled(kSamples); ++i) {
    // These intervals must not be in step with consumerd's own.
    std::this_thread::sleep_for(std::chrono::microseconds(1700 + 7919 * i % 30'000));
    const auto called = std::chrono::steady_clock::now();
    RingsideSubject::call<Case::two_integers>(i);
    ++expected;
    while (follower.records() < expected) {
      if (std::chrono::steady_clock::now() - called > kPatience) {
        std::fprintf(stderr, "a record did not reach the file\n");
        return kExitDoesNotCount;
      }
    }
    const std::chrono::duration<double, std::milli> took =
        std::chrono::steady_clock::now() - called;
    ms.push_back(took.count());
  }
  ResultLine("readable", RingsideSubject::kName, name_of(Case::two_integers))
      .print("call_to_file", "ms", spread_of(ms));
  return run.finish();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
