#include "consumerd/files/emptied_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <fcntl.h>
#include <map>
#include <span>
#include <unistd.h>
#include <vector>

#include <sys/stat.h>

#include "consumerd/descriptors/directory_sync.hpp"
#include "consumerd/descriptors/trusted_open.hpp"
#include "consumerd/log/log.hpp"
#include "shm-layout/loss_cause.hpp"
#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/call_costs_block.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/reader/trace_paths.hpp"

namespace ringside::consumer {
namespace {

using trace::Block;
using trace::BlockType;

constexpr auto kUnshipped = static_cast<std::uint32_t>(shm::LossCause::kUnshipped);
// Further ones of a section are united with those before them.
constexpr std::size_t kMostLosses = std::size_t{1} << 16;
constexpr std::size_t kReadBytes = std::size_t{1} << 20;  // of a file that is read

// Numbers of a stream that are lost for one cause.
struct LostNumbers {
  std::uint64_t stream_id = 0;
  std::uint64_t first = 0;
  std::uint64_t end = 0;  // after the last one
  std::uint64_t tsc = 0;  // of the last one
  std::uint32_t cause = 0;
};

void append_extent(const LostNumbers& lost, std::vector<std::byte>& out) {
  const std::size_t at = out.size();
  out.resize(at + trace::kBlockHeaderBytes + trace::kExtentHeaderBytes);
  std::byte* const p = out.data() + at + trace::kBlockHeaderBytes;
  trace::store(p, lost.stream_id);
  trace::store(p + 8, lost.end);
  trace::store(p + 16, lost.tsc);
  trace::store(p + 24, lost.tsc);
  trace::store(p + 32, lost.tsc);
  trace::store(p + 48, lost.end - lost.first);
  trace::store(p + 56, lost.cause);
  trace::write_block_frame(out.data() + at, BlockType::kExtent, trace::kExtentHeaderBytes);
}

// The sections of a file without their records.
class EmptiedSections {
 public:
  void take(const Block& block) {
    switch (block.frame.type) {
      case BlockType::kHeader:
        finish();
        is_open_ = true;
        return copy(block);
      case BlockType::kClock:
      case BlockType::kStream:
      case BlockType::kLosses:
        if (is_open_) copy(block);
        return;
      case BlockType::kCallCosts:
        if (is_open_) take_call_costs(block);
        return;
      case BlockType::kExtent: {
        trace::ExtentHeader header;
        if (is_open_ && trace::ExtentHeader::parse(block.payload, header)) take_extent(header);
        return;
      }
      default:
        return;
    }
  }

  // Ends the last section.
  void finish() {
    if (!is_open_) return;
    is_open_ = false;
    std::stable_sort(lost_.begin(), lost_.end(),
                     [](const LostNumbers& a, const LostNumbers& b) { return a.tsc < b.tsc; });
    trace::EndBlock end;
    end.reason = trace::EndReason::kEmptied;
    for (const LostNumbers& lost : lost_) {
      append_extent(lost, out_);
      end.dropped += lost.end - lost.first;
    }
    lost_.clear();
    last_.clear();
    out_.insert(out_.end(), costs_.begin(), costs_.end());
    costs_.clear();
    const std::size_t at = out_.size();
    out_.resize(at + trace::kBlockHeaderBytes + trace::kEndBytes);
    trace::write_end_block(end, std::span(out_).subspan(at));
  }

  const std::vector<std::byte>& bytes() const { return out_; }
  std::uint64_t records() const { return records_; }

 private:
  void copy(const Block& block) {
    const std::size_t at = out_.size();
    out_.resize(at + trace::kBlockHeaderBytes);
    out_.insert(out_.end(), block.payload.begin(), block.payload.end());
    trace::write_block_frame(out_.data() + at, block.frame.type, block.payload.size(),
                             block.frame.flags);
  }

  // Only the newest one has a meaning.
  void take_call_costs(const Block& block) {
    trace::CallCostsBlock costs;
    if (!trace::CallCostsBlock::parse(block.payload, costs)) return;
    if (!costs_.empty() && costs.until_tsc < costs_until_tsc_) return;
    costs_until_tsc_ = costs.until_tsc;
    costs_.resize(trace::call_costs_block_bytes(costs));
    trace::write_call_costs_block(costs, costs_);
  }

  void take_extent(const trace::ExtentHeader& header) {
    const std::uint64_t dropped = std::min(header.dropped, header.first_sequence);
    add({header.stream_id, header.first_sequence - dropped, header.first_sequence, header.base_tsc,
         header.drop_cause});
    add({header.stream_id, header.first_sequence, header.first_sequence + header.records,
         header.max_tsc, kUnshipped});
    records_ += header.records;
  }

  void add(const LostNumbers& lost) {
    if (lost.first >= lost.end) return;
    const auto [last, is_new] = last_.try_emplace(lost.stream_id, lost_.size());
    if (!is_new) {
      LostNumbers& before = lost_[last->second];
      const bool continues = before.end == lost.first && before.cause == lost.cause;
      if (continues || lost_.size() >= kMostLosses) {
        before.end = std::max(before.end, lost.end);
        before.tsc = std::max(before.tsc, lost.tsc);
        return;
      }
      last->second = lost_.size();
    }
    lost_.push_back(lost);
  }

  bool is_open_ = false;
  std::vector<std::byte> out_;
  std::vector<LostNumbers> lost_;              // of the section
  std::map<std::uint64_t, std::size_t> last_;  // by stream: its last one in lost_
  std::vector<std::byte> costs_;               // of the section: its CALL_COSTS block, if any
  std::uint64_t costs_until_tsc_ = 0;
  std::uint64_t records_ = 0;
};

// Also a read error in the middle, which TraceFile takes for the end. False with errno.
bool can_be_read(const std::string& path) {
  const UniqueFd fd = open_without_links(path, O_RDONLY);
  std::vector<std::byte> piece(kReadBytes);
  for (off_t offset = 0; fd;) {
    const ssize_t got = pread(fd.get(), piece.data(), piece.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    offset += got;
  }
  return false;
}

bool write_whole(const std::string& path, std::span<const std::byte> bytes,
                 const struct stat& like) {
  unlink(path.c_str());  // from a process that died
  const UniqueFd fd = open_without_links(path, O_WRONLY | O_CREAT | O_EXCL, 0640);
  if (!fd) return false;
  while (!bytes.empty()) {
    const ssize_t written = write(fd.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  const std::array<timespec, 2> times{like.st_atim, like.st_mtim};
  return futimens(fd.get(), times.data()) == 0 && fsync(fd.get()) == 0;
}

}  // namespace

Emptied empty_trace_file(const std::string& output_dir, const ClosedFile& file,
                         std::uint64_t* records, std::string* why) {
  const std::string path = output_dir + "/" + file.name.text();
  const std::string packed = trace::packed_name(path);
  const std::string& stored = file.plain ? path : packed;
  const auto fail = [&](const std::string& reason, Emptied result = Emptied::kFailed) {
    *why = "cannot remove the records of " + stored + ": " + reason;
    return result;
  };
  if (!can_be_read(stored)) return fail(error_text(errno));
  trace::ReadError error;
  const auto trace = trace::TraceFile::open(stored, &error);
  struct stat info {};
  if (trace == nullptr) return fail(error.what);
  if (stat(stored.c_str(), &info) != 0) return fail(error_text(errno));
  trace::BlockReader reader(*trace, 0, trace->size(), nullptr);
  EmptiedSections sections;
  Block block;
  while (reader.next(block)) sections.take(block);
  sections.finish();
  if (sections.bytes().empty()) {
    if ((file.packed && unlink(packed.c_str()) != 0 && errno != ENOENT) ||
        (file.plain && unlink(path.c_str()) != 0 && errno != ENOENT)) {
      return fail(error_text(errno));
    }
    return Emptied::kYes;
  }
  // Not the name of an unpacked file that is created: a new consumer of the segment removes those.
  const std::string unfinished = unfinished_name(packed);
  if (!write_whole(unfinished, sections.bytes(), info) ||
      std::rename(unfinished.c_str(), path.c_str()) != 0) {
    const int code = errno;
    unlink(unfinished.c_str());
    const bool no_space = code == ENOSPC || code == EDQUOT;
    return fail(error_text(code), no_space ? Emptied::kNoSpace : Emptied::kFailed);
  }
  *records += sections.records();
  sync_directory_of(path);
  return Emptied::kYes;
}

bool finish_emptying(const std::string& output_dir, ClosedFile* file, std::string* why) {
  const std::string path = output_dir + "/" + file->name.text();
  const std::string packed = trace::packed_name(path);
  if (file->packed && unlink(packed.c_str()) != 0 && errno != ENOENT) {
    *why = "cannot remove " + packed + ": " + error_text(errno) +
           "; make the output directory writable for this user";
    return false;
  }
  struct stat info {};
  file->packed = false;
  file->emptied = true;
  file->plain = stat(path.c_str(), &info) == 0;
  file->bytes = file->plain ? static_cast<std::uint64_t>(info.st_size) : 0;
  return true;
}

}  // namespace ringside::consumer
