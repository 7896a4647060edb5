// Packs traces as bytes and as columns: bytes per record, and the time to pack and to restore.
// Prints a JSON line for each trace, form and metric.
//
// usage: packing_study [mix | NAME=FILE]...
//
//     mix               order book and HTTP messages with random values, 300,000 records
//     NAME=FILE.tsv     records of a log, from log_records.py
//     NAME=FILE         a trace file

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "perf/compression/log_lines.hpp"
#include "perf/compression/mix_trace.hpp"
#include "perf/compression/processor_time.hpp"
#include "perf/compression/trace_maker.hpp"
#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/packing/packed_file.hpp"
#include "trace-format/packing/packed_file_writer.hpp"

namespace ringside::perf {
namespace {

constexpr std::uint64_t kMixRecords = 300'000;
constexpr int kRounds = 3;

Bytes make_trace(const std::string& path) {
  TraceMaker trace;
  if (path == "mix") {
    add_mix(trace, kMixRecords);
    return trace.finish();
  }
  if (path.ends_with(".tsv")) {
    add_log_lines(trace, path);
    return trace.finish();
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

struct Contents {
  std::uint64_t records = 0;
  std::uint64_t extent_bytes = 0;
};

Contents contents_of(std::span<const std::byte> bytes) {
  Contents contents;
  trace::BlockFrame frame;
  while (trace::parse_block_frame(bytes, frame) && frame.block_bytes() <= bytes.size()) {
    if (frame.type == trace::BlockType::kExtent) {
      contents.extent_bytes += frame.block_bytes();
      contents.records += trace::load<std::uint32_t>(bytes.data() + trace::kBlockHeaderBytes + 40);
    }
    bytes = bytes.subspan(frame.block_bytes());
  }
  if (contents.records == 0) throw std::runtime_error("a trace has no records");
  return contents;
}

Bytes pack(std::span<const std::byte> bytes, trace::PackedForm form) {
  Bytes packed;
  const auto writer = trace::PackedFileWriter::create(
      [&packed](std::span<const std::byte> part) {
        packed.insert(packed.end(), part.begin(), part.end());
        return true;
      },
      trace::PackedFileWriter::kDefaultLevel, form);
  if (writer == nullptr || !writer->append(bytes) || !writer->finish()) {
    throw std::runtime_error("cannot pack");
  }
  return packed;
}

void restore(const Bytes& packed, const Bytes& expected) {
  const auto file = trace::PackedFile::open(trace::TraceFile::in_memory("packed", packed), nullptr);
  Bytes bytes(expected.size());
  if (file == nullptr || file->read(0, bytes) != bytes.size() || bytes != expected) {
    throw std::runtime_error("a packed trace does not restore");
  }
}

void print(const std::string& name, const char* subject, const char* metric, const char* unit,
           double value) {
  std::printf(
      "{\"row\":\"packing\",\"subject\":\"%s\",\"case\":\"%s\",\"metric\":\"%s\",\"unit\":\"%s\","
      "\"median\":%.4f}\n",
      subject, name.c_str(), metric, unit, value);
  std::fflush(stdout);
}

void study(const std::string& name, const std::string& path) {
  const Bytes bytes = make_trace(path);
  const Contents contents = contents_of(bytes);
  const auto records = static_cast<double>(contents.records);
  constexpr trace::PackedForm kForms[] = {trace::PackedForm::kBytes, trace::PackedForm::kColumns};
  std::vector<double> pack_ns[2];
  std::vector<double> restore_ns[2];
  Bytes packed[2];
  // The forms take turns, because the machine's speed changes; the first round is a warm-up.
  for (int round = 0; round <= kRounds; ++round) {
    for (const int form : {0, 1}) {
      double start = processor_ns();
      packed[form] = pack(bytes, kForms[form]);
      const double packing = processor_ns() - start;
      start = processor_ns();
      restore(packed[form], bytes);
      const double restoring = processor_ns() - start;
      if (round == 0) continue;
      pack_ns[form].push_back(packing / records);
      restore_ns[form].push_back(restoring / records);
    }
  }
  print(name, "live", "records", "records", records);
  print(name, "live", "size", "bytes/record", static_cast<double>(contents.extent_bytes) / records);
  constexpr const char* kNames[] = {"bytes", "columns"};
  for (const int form : {0, 1}) {
    print(name, kNames[form], "size", "bytes/record",
          static_cast<double>(packed[form].size()) / records);
    print(name, kNames[form], "pack", "ns/record",
          *std::min_element(pack_ns[form].begin(), pack_ns[form].end()));
    print(name, kNames[form], "restore", "ns/record",
          *std::min_element(restore_ns[form].begin(), restore_ns[form].end()));
  }
}

}  // namespace
}  // namespace ringside::perf

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: packing_study [mix | NAME=FILE]...\n");
    return 2;
  }
  try {
    for (int i = 1; i < argc; ++i) {
      const std::string argument = argv[i];
      const std::size_t equals = argument.find('=');
      ringside::perf::study(argument.substr(0, equals),
                            equals == std::string::npos ? argument : argument.substr(equals + 1));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "packing_study: %s\n", error.what());
    return 1;
  }
  return 0;
}
