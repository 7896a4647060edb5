#include "tools/crash/section_ends.hpp"

#include <fcntl.h>
#include <memory>
#include <unistd.h>
#include <utility>

#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/reader/section_scan.hpp"

namespace ringside::tool {
namespace {

// Of the file that a consumerd writes (trace-format/README.md).
bool is_being_written(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  const bool is_locked = fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close(file);
  return is_locked;
}

TraceEnd end_of(trace::EndReason reason) {
  switch (reason) {
    case trace::EndReason::kServiceEnded:
      return TraceEnd::kServiceEnded;
    case trace::EndReason::kConsumerEnded:
      return TraceEnd::kConsumerEnded;
    case trace::EndReason::kRotation:
      return TraceEnd::kRotated;
    case trace::EndReason::kCut:
    case trace::EndReason::kEmptied:
      break;
  }
  return TraceEnd::kCut;
}

TraceEnd end_of_section(trace::TraceFile& file, const trace::SectionScan& section) {
  trace::BlockReader reader(file, section.begin, section.end, nullptr);
  for (const std::size_t bytes : {trace::kEndBytes, trace::kEndBytesWithoutIndex}) {
    const std::uint64_t whole = trace::kBlockHeaderBytes + bytes;
    trace::Block block;
    trace::EndBlock end;
    if (section.end - section.begin >= whole && reader.read_at(section.end - whole, block) &&
        block.frame.type == trace::BlockType::kEnd && trace::EndBlock::parse(block.payload, end)) {
      return end_of(end.reason);
    }
  }
  return is_being_written(file.path()) ? TraceEnd::kWritten : TraceEnd::kMissing;
}

}  // namespace

bool read_section_ends(std::span<const std::string> files, std::map<SegmentUuid, TraceEnd>* ends,
                       trace::ReadError* error) {
  std::map<SegmentUuid, std::uint32_t> newest;
  for (const std::string& path : files) {
    trace::ReadReport report;
    const std::unique_ptr<trace::TraceFile> file = trace::TraceFile::open(path, error, &report);
    if (!file) return false;
    for (const trace::SectionScan& section : trace::scan_sections(*file, report)) {
      if (!section.segment) continue;
      const auto [known, is_new] =
          newest.try_emplace(section.segment->uuid, section.segment->file_sequence);
      if (!is_new && known->second > section.segment->file_sequence) continue;
      known->second = section.segment->file_sequence;
      (*ends)[section.segment->uuid] = end_of_section(*file, section);
    }
  }
  return true;
}

}  // namespace ringside::tool
