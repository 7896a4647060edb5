#include "perf/ringside/trace_directory.hpp"

#include <filesystem>

#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/blocks/read_report.hpp"
#include "trace-format/blocks/trace_file.hpp"
#include "trace-format/codec/extent_decoder.hpp"

namespace ringside::perf {

std::vector<std::string> trace_files(const std::string& directory) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".ringtrace") files.push_back(entry.path());
  }
  return files;
}

std::uint64_t trace_bytes(const std::string& directory) {
  std::uint64_t bytes = 0;
  for (const std::string& file : trace_files(directory)) bytes += std::filesystem::file_size(file);
  return bytes;
}

std::optional<std::uint64_t> count_records(const std::string& directory) {
  std::uint64_t records = 0;
  for (const std::string& path : trace_files(directory)) {
    trace::ReadError error;
    const auto file = trace::TraceFile::open(path, &error);
    if (file == nullptr) return {};
    trace::BlockReader reader(*file, 0, file->size(), nullptr);
    std::uint64_t expected_at = 0;
    trace::Block block;
    while (reader.next(block)) {
      if (block.offset != expected_at) return {};
      expected_at = block.offset + block.frame.block_bytes();
      if (block.frame.type != trace::BlockType::kExtent) continue;
      trace::ExtentHeader header;
      if (!trace::ExtentHeader::parse(block.payload, header) || header.dropped != 0) return {};
      records += header.records;
    }
    if (expected_at != file->size()) return {};
  }
  return records;
}

}  // namespace ringside::perf
