#include "consumerd/files/file_packer.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <unistd.h>
#include <vector>

#include <sys/stat.h>

#include "consumerd/descriptors/directory_sync.hpp"
#include "consumerd/descriptors/file_lock.hpp"
#include "consumerd/descriptors/trusted_open.hpp"
#include "consumerd/files/output_file.hpp"
#include "consumerd/files/trace_name.hpp"
#include "consumerd/log/log.hpp"
#include "trace-format/packing/packed_file_writer.hpp"
#include "trace-format/reader/trace_paths.hpp"

namespace ringside::consumer {
namespace {

constexpr std::size_t kPackedPieceBytes = std::size_t{1} << 20;

bool write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

PackResult copy_packed(int from, int to, const std::atomic<bool>& stop) {
  // As bytes: columns take seven times as long, and closed files must not pile up.
  const auto writer = trace::PackedFileWriter::create(
      [to](std::span<const std::byte> bytes) { return write_all(to, bytes); },
      trace::PackedFileWriter::kDefaultLevel, trace::PackedForm::kBytes);
  if (writer == nullptr) {
    errno = ENOMEM;
    return PackResult::kFailed;
  }
  std::vector<std::byte> piece(kPackedPieceBytes);
  for (off_t offset = 0;;) {
    if (stop.load(std::memory_order_relaxed)) return PackResult::kStopped;
    const ssize_t got = pread(from, piece.data(), piece.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return PackResult::kFailed;
    if (got == 0) break;
    if (!writer->append(std::span(piece).first(static_cast<std::size_t>(got)))) {
      return PackResult::kFailed;
    }
    offset += got;
  }
  return writer->finish() ? PackResult::kDone : PackResult::kFailed;
}

}  // namespace

UniqueFd claim_trace_file(const std::string& path) {
  UniqueFd fd = open_without_links(path, O_RDWR);
  struct stat info {};
  if (!fd || !try_lock_byte(fd.get(), kTraceFileLockByte) || fstat(fd.get(), &info) != 0 ||
      !S_ISREG(info.st_mode) || info.st_nlink == 0) {
    return {};
  }
  return fd;
}

PackResult pack_trace_file(const std::string& path, const UniqueFd& claimed,
                           const std::atomic<bool>& stop, std::string* why) {
  const std::string packed = trace::packed_name(path);
  // Only the process with the claim uses this name; an existing file is from a packer that died.
  const std::string unfinished = unfinished_name(packed);
  struct stat info {};
  unlink(unfinished.c_str());
  const UniqueFd to = open_without_links(unfinished, O_WRONLY | O_CREAT | O_EXCL, 0640);
  PackResult result = PackResult::kFailed;
  if (to && fstat(claimed.get(), &info) == 0) {
    result = copy_packed(claimed.get(), to.get(), stop);
  }
  if (result == PackResult::kDone) {
    const std::array<timespec, 2> times{info.st_atim, info.st_mtim};
    if (futimens(to.get(), times.data()) != 0 || fsync(to.get()) != 0 ||
        std::rename(unfinished.c_str(), packed.c_str()) != 0) {
      result = PackResult::kFailed;
    }
  }
  if (result == PackResult::kFailed) {
    *why = "cannot pack " + path + ": " + error_text(errno) + "; the file stays unpacked";
  }
  if (result != PackResult::kDone) {
    unlink(unfinished.c_str());
    return result;
  }
  sync_directory_of(packed);
  unlink(path.c_str());
  return result;
}

void remove_broken_off_packing(const std::string& output_dir,
                               const std::function<bool(const std::string&)>& serves) {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(output_dir.c_str()), closedir);
  if (dir == nullptr) return;
  while (const dirent* const entry = readdir(dir.get())) {  // NOLINT(concurrency-mt-unsafe)
    std::optional<TraceName> name = parse_unfinished_name(entry->d_name);
    if (!name || !name->packed || !serves(std::string(name->service()))) continue;
    name->packed = false;
    // Without the unpacked file no packer is at work on it: the unpacked file is removed last.
    const std::string path = output_dir + "/" + name->text();
    const UniqueFd claim = claim_trace_file(path);
    if (!claim && access(path.c_str(), F_OK) == 0) continue;
    unlink((output_dir + "/" + entry->d_name).c_str());
  }
}

}  // namespace ringside::consumer
