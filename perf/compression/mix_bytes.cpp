// Bytes per record of the mix of order book and HTTP messages with random values: in the trace as
// consumerd writes it, packed, and as the text of the same records, plain and compressed. And what
// encoding one record costs.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>
#include <zstd.h>

#include "perf/compression/mix_trace.hpp"
#include "perf/compression/processor_time.hpp"
#include "perf/compression/trace_maker.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/temporary_directory.hpp"
#include "perf/ringside/text_of_trace.hpp"
#include "trace-format/packing/packed_file_writer.hpp"

namespace {

using namespace ringside;
using namespace ringside::perf;

constexpr int kRecords = 300'000;
constexpr const char* kCase = "mix";
constexpr int kZstdLevel = 3;

std::size_t packed_size(const Bytes& bytes) {
  std::size_t size = 0;
  const auto writer = trace::PackedFileWriter::create(
      [&size](std::span<const std::byte> part) {
        size += part.size();
        return true;
      },
      trace::PackedFileWriter::kDefaultLevel, trace::PackedForm::kColumns);
  if (writer == nullptr || !writer->append(bytes) || !writer->finish()) {
    throw std::runtime_error("cannot pack");
  }
  return size;
}

// What ringcat prints of the trace.
std::string text_of(const Bytes& bytes) {
  const TemporaryDirectory directory("/dev/shm");
  const std::string path = directory.path() + "/mix.ringtrace";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  const TextOfTrace text({RINGCAT_PATH, "--utc", path});
  if (!text.is_complete()) throw std::runtime_error("ringcat cannot print " + path);
  std::ifstream file(text.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t compressed_size(const std::string& text) {
  std::vector<char> room(ZSTD_compressBound(text.size()));
  const std::size_t size =
      ZSTD_compress(room.data(), room.size(), text.data(), text.size(), kZstdLevel);
  if (ZSTD_isError(size) != 0) throw std::runtime_error(ZSTD_getErrorName(size));
  return size;
}

int measure(const RunOptions& options) {
  const auto records = static_cast<std::uint64_t>(options.scaled(kRecords));
  std::vector<double> encode_ns;
  Bytes bytes;
  for (int repeat = 0; repeat < options.repeats_or_one(); ++repeat) {
    TraceMaker trace;
    add_mix(trace, records);
    const double from = processor_ns();
    bytes = trace.finish();
    encode_ns.push_back((processor_ns() - from) / static_cast<double>(records));
  }
  const std::string text = text_of(bytes);
  const auto print = [records](const char* subject, const char* metric, std::size_t size) {
    ResultLine("mix_bytes", subject, kCase)
        .print(metric, "bytes", exactly(static_cast<double>(size) / static_cast<double>(records)));
  };
  print("ringside", "live", bytes.size());
  print("ringside", "packed", packed_size(bytes));
  print("text", "live", text.size());
  print("text", "packed", compressed_size(text));
  ResultLine("mix_bytes", "ringside", kCase).print("encode", "ns", spread_of(encode_ns));
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row mix_bytes of Ringside.", &exit_code);
  if (!options) return exit_code;
  return options->wants_case(kCase) ? measure(*options) : kExitOk;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
