// What a TraceBuilder does for readers that follow its files.

#include <algorithm>

#include "tools/interop/trace_builder_process.hpp"
#include "trace-format/blocks/block_writer.hpp"

namespace ringside::tool {
namespace {

// The beginning of a file, with the header of its section, is kept when the rest is released.
constexpr std::uint64_t kKeptBytes = 8192;

}  // namespace

std::vector<std::string> TraceBuilder::publish(bool everything, std::string* error) {
  const std::uint64_t newest_before = newest_ns_;
  write_streams();
  for (Process& process : processes_) {
    if (process.section == nullptr) continue;
    process.section->omit_index();
    newest_ns_ = std::max(newest_ns_, process.section->largest_tsc());
  }
  write_points(everything ? newest_ns_ + 1 : newest_before);
  held_ = settled_ <= newest_ns_;
  published_bytes_ = written_bytes_;
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    Process& process = processes_[i];
    if (process.section == nullptr) break;
    // Of processes without new records, earlier ones may have been held back.
    process.section->add(make_block([&](std::span<std::byte> out) {
      return trace::write_sequence_point_block(settled_, {}, out);
    }));
    if (process.is_renamed) process.file->overwrite(0, make_header(process));
    process.is_renamed = false;
    paths.push_back(process.file->readable_path(&failure_));
  }
  if (failure_.empty()) return paths;
  *error = failure_;
  return {};
}

std::uint64_t TraceBuilder::published_bytes() const {
  std::uint64_t bytes = 0;
  for (const Process& process : processes_) {
    if (process.section != nullptr) bytes += process.section->bytes() - process.released_bytes;
  }
  return bytes;
}

void TraceBuilder::release_published() {
  for (Process& process : processes_) {
    if (process.section == nullptr) continue;
    process.file->release(std::max(process.released_bytes, kKeptBytes), process.section->bytes());
    process.released_bytes = process.section->bytes();
  }
}

}  // namespace ringside::tool
