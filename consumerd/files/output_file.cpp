#include "consumerd/files/output_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <thread>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

#include "consumerd/descriptors/file_lock.hpp"
#include "consumerd/descriptors/trusted_open.hpp"
#include "consumerd/files/trace_name.hpp"
#include "consumerd/log/log.hpp"
#include "shm-layout/staging_area.hpp"
#include "trace-format/blocks/block_frame.hpp"

namespace ringside::consumer {
namespace {

constexpr std::uint32_t kMaxSequence = 1'000'000'000;
constexpr mode_t kTraceMode = 0640;

// Whether the file begins with a section of this segment, or is empty.
bool continues_segment(int fd, const shm::SegmentHeader& segment) {
  std::array<std::byte, 256> front;
  const ssize_t got = pread(fd, front.data(), front.size(), 0);
  if (got == 0) return true;
  trace::BlockFrame frame;
  if (got < static_cast<ssize_t>(trace::kBlockHeaderBytes + 24) ||
      !trace::parse_block_frame(front, frame) || frame.type != trace::BlockType::kHeader) {
    return false;
  }
  constexpr std::size_t kUuidOffset = trace::kBlockHeaderBytes + 8;
  return std::memcmp(front.data() + kUuidOffset, segment.uuid, sizeof segment.uuid) == 0;
}

// On a file system without locks, no lock is held. The lock of a killed writer may last until its
// outstanding writes have finished.
bool lock_patiently(int fd) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    if (try_lock_byte(fd, kTraceFileLockByte)) return true;
    if (errno != EAGAIN && errno != EACCES) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

bool describe(UniqueFd fd, const std::string& path, std::uint32_t sequence, OutputFile* file) {
  struct stat info {};
  if (fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_nlink == 0) return false;
  file->fd = std::move(fd);
  file->path = path;
  file->device = info.st_dev;
  file->inode = info.st_ino;
  file->sequence = sequence;
  file->bytes = static_cast<std::uint64_t>(info.st_size);
  return true;
}

// The highest sequence number in use under this stem, by any file; also removes what a consumerd
// left that was killed while it created a file.
std::optional<std::uint32_t> newest_sequence(const std::string& output_dir, const std::string& stem,
                                             bool* packed) {
  std::optional<std::uint32_t> newest;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(output_dir.c_str()), closedir);
  if (dir == nullptr) return newest;
  while (const dirent* const entry = readdir(dir.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string name = entry->d_name;
    if (!name.starts_with(stem)) continue;
    const std::optional<TraceName> parsed = TraceName::parse(name);
    if (parsed && parsed->stem == stem) {
      if (newest && parsed->sequence < *newest) continue;
      *packed = parsed->packed && !(newest == parsed->sequence && !*packed);
      newest = parsed->sequence;
    } else if (name.ends_with(unfinished_name(".ringtrace"))) {
      unlink(std::string(output_dir).append("/").append(name).c_str());
    }
  }
  return newest;
}

bool write_all(int fd, const std::vector<std::byte>& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written =
        pwrite(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

// Renames, but never over another file.
bool rename_to_new(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // This file system cannot guarantee that; only the owner of the segment creates such names.
  if (access(to.c_str(), F_OK) == 0) {
    errno = EEXIST;
    return false;
  }
  return std::rename(from.c_str(), to.c_str()) == 0;
}

}  // namespace

bool open_newest_output(const std::string& output_dir, const std::string& stem,
                        const shm::SegmentHeader& segment, const FilesBefore& before,
                        OutputFile* file, std::string* why) {
  const std::string first = output_dir + "/" + stem + "0.ringtrace";
  if (before.none && first.size() < sizeof shm::SlotHeader::file_path) {
    UniqueFd fd = open_without_links(first, O_RDWR | O_CREAT | O_EXCL, kTraceMode);
    if (fd && lock_patiently(fd.get()) && describe(std::move(fd), first, 0, file)) return true;
  }
  bool packed = false;
  const std::optional<std::uint32_t> newest = newest_sequence(output_dir, stem, &packed);
  const std::string prefix = output_dir + "/" + stem;
  const std::uint32_t next_here = newest ? *newest + 1 : 0;
  // A damaged number in a segment must not use up the sequence numbers.
  const std::uint32_t next =
      std::max(next_here, before.next_sequence < kMaxSequence / 2 ? before.next_sequence : 0);
  if (newest && !packed && next == next_here) {
    const std::string path = prefix + std::to_string(*newest) + ".ringtrace";
    UniqueFd fd = open_without_links(path, O_RDWR);
    struct stat info {};
    if (fd && fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode) &&
        continues_segment(fd.get(), segment) && lock_patiently(fd.get()) &&
        describe(std::move(fd), path, *newest, file)) {
      return true;
    }
  }
  for (std::uint32_t sequence = next; sequence < kMaxSequence; ++sequence) {
    const std::string path = prefix + std::to_string(sequence) + ".ringtrace";
    if (path.size() >= sizeof shm::SlotHeader::file_path) {
      *why = "path too long: " + path + "; use a shorter output directory";
      return false;
    }
    UniqueFd fd = open_without_links(path, O_RDWR | O_CREAT | O_EXCL, kTraceMode);
    if (fd && lock_patiently(fd.get()) && describe(std::move(fd), path, sequence, file)) {
      return true;
    }
    if (errno == EEXIST) continue;
    *why = "cannot open " + path + ": " + error_text(errno) +
           "; make the output directory writable for this user";
    return false;
  }
  *why = "no unused file name left for " + prefix +
         "*.ringtrace; remove old trace files from the output directory";
  return false;
}

bool create_output(const std::string& output_dir, const std::string& stem, std::uint32_t sequence,
                   const SectionFront& front, OutputFile* file, std::string* why) {
  for (; sequence < kMaxSequence; ++sequence) {
    const std::string path = std::string(output_dir)
                                 .append("/")
                                 .append(stem)
                                 .append(std::to_string(sequence))
                                 .append(".ringtrace");
    const std::string unfinished = unfinished_name(path);
    if (path.size() >= sizeof shm::SlotHeader::file_path) {
      *why = "path too long: " + path + "; use a shorter output directory";
      return false;
    }
    unlink(unfinished.c_str());  // left by a predecessor that was killed here
    UniqueFd fd = open_without_links(unfinished, O_RDWR | O_CREAT | O_EXCL, kTraceMode);
    const bool written = fd && write_all(fd.get(), front(sequence)) && lock_patiently(fd.get());
    if (written && rename_to_new(unfinished, path) &&
        describe(std::move(fd), path, sequence, file)) {
      return true;
    }
    const int error = errno;
    unlink(unfinished.c_str());
    if (written && error == EEXIST) continue;
    *why = "cannot create " + path + ": " + error_text(error);
    // Permissions may be unchanged: the sandbox's rule does not cover this directory.
    if (error == EACCES) *why += "; if the directory was created again, restart consumerd";
    return false;
  }
  *why = "no unused file name left for " + stem +
         "*.ringtrace; remove old trace files from the output directory";
  return false;
}

}  // namespace ringside::consumer
