#include "consumerd/files/closed_files.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

#include "consumerd/descriptors/file_lock.hpp"
#include "consumerd/descriptors/trusted_open.hpp"
#include "consumerd/descriptors/unique_fd.hpp"
#include "consumerd/files/output_file.hpp"
#include "consumerd/files/section_front.hpp"
#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/block_writer.hpp"

namespace ringside::consumer {
namespace {

// The files of one segment, by sequence number.
using Files = std::map<std::uint32_t, ClosedFile>;

std::map<std::string, Files> find_files(const std::string& output_dir) {
  std::map<std::string, Files> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(output_dir.c_str()), closedir);
  if (dir == nullptr) return found;
  while (const dirent* const entry = readdir(dir.get())) {  // NOLINT(concurrency-mt-unsafe)
    std::optional<TraceName> name = TraceName::parse(entry->d_name);
    struct stat info {};
    if (!name || fstatat(dirfd(dir.get()), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(info.st_mode)) {
      continue;
    }
    ClosedFile& file = found[name->stem][name->sequence];
    (name->packed ? file.packed : file.plain) = true;
    name->packed = false;
    file.name = std::move(*name);
    file.bytes += static_cast<std::uint64_t>(info.st_size);
    file.changed_ns = std::max<std::int64_t>(
        file.changed_ns, info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec);
  }
  return found;
}

struct FileState {
  bool locked = true;
  bool foreign = false;  // not a trace
  bool other_boot = false;
  std::optional<trace::EndReason> end;  // reason of the END at its end
};

// A file that begins neither with a section nor with zeros, as after a power failure, was not
// written by a consumerd.
bool is_foreign(std::span<const std::byte> front) {
  trace::BlockFrame frame;
  if (front.size() >= trace::kBlockHeaderBytes && trace::parse_block_frame(front, frame) &&
      frame.type == trace::BlockType::kHeader) {
    return false;
  }
  return std::any_of(front.begin(), front.end(), [](std::byte b) { return b != std::byte{0}; });
}

FileState look_at(const std::string& path) {
  FileState state;
  const UniqueFd fd = open_without_links(path, O_RDONLY);
  struct stat info {};
  if (!fd || byte_is_locked(fd.get(), kTraceFileLockByte) || fstat(fd.get(), &info) != 0) {
    return state;
  }
  state.locked = false;
  std::array<std::byte, trace::kBlockHeaderBytes + trace::kHeaderFixedBytes> front;
  trace::BlockFrame frame;
  const ssize_t got = pread(fd.get(), front.data(), front.size(), 0);
  state.foreign = got < 0 || is_foreign(std::span(front).first(static_cast<std::size_t>(got)));
  if (got == static_cast<ssize_t>(front.size()) && trace::parse_block_frame(front, frame) &&
      frame.type == trace::BlockType::kHeader) {
    constexpr std::size_t kBootIdOffset = trace::kBlockHeaderBytes + 64;
    std::uint8_t boot_id[16];
    std::memcpy(boot_id, front.data() + kBootIdOffset, sizeof boot_id);
    state.other_boot = !is_this_boot(boot_id);
  }
  std::array<std::byte, trace::kBlockHeaderBytes + trace::kEndBytes> back;
  const std::span<const std::byte> block(back);
  const auto payload = block.subspan(trace::kBlockHeaderBytes);
  trace::EndBlock end;
  if (pread(fd.get(), back.data(), back.size(), info.st_size - static_cast<off_t>(back.size())) ==
          static_cast<ssize_t>(back.size()) &&
      trace::parse_block_frame(block, frame) && frame.type == trace::BlockType::kEnd &&
      frame.block_bytes() == back.size() &&
      trace::check_block(block.first(trace::kBlockHeaderBytes), payload) &&
      trace::EndBlock::parse(payload, end)) {
    state.end = end.reason;
  }
  return state;
}

}  // namespace

std::map<std::string, std::vector<ClosedFile>> closed_files(
    const std::string& output_dir, const std::set<std::string>& own_stems,
    const std::function<bool(const std::string&)>& serves) {
  std::map<std::string, std::vector<ClosedFile>> closed;
  for (auto& [stem, files] : find_files(output_dir)) {
    const std::string service(files.begin()->second.name.service());
    if (!serves(service)) continue;
    bool newer_exists = false;
    bool over = own_stems.contains(stem);  // whether all files before the newest one are over
    for (auto file = files.rbegin(); file != files.rend(); ++file) {
      FileState state;
      if (file->second.plain) {
        state = look_at(output_dir + "/" + file->second.name.text());
      } else {
        state.locked = false;
      }
      bool is_closed = !state.locked && !state.foreign;
      file->second.emptied = state.end == trace::EndReason::kEmptied;
      if (file->second.plain && !state.other_boot && !file->second.emptied &&
          state.end != trace::EndReason::kServiceEnded && !(newer_exists && over)) {
        is_closed = is_closed && newer_exists && state.end == trace::EndReason::kRotation;
      }
      if (is_closed) closed[service].push_back(file->second);
      over = over || (!newer_exists && is_closed);
      newer_exists = true;
    }
  }
  for (auto& [service, files] : closed) {
    std::sort(files.begin(), files.end(), [](const ClosedFile& a, const ClosedFile& b) {
      return std::tie(a.changed_ns, a.name.stem, a.name.sequence) <
             std::tie(b.changed_ns, b.name.stem, b.name.sequence);
    });
  }
  return closed;
}

}  // namespace ringside::consumer
