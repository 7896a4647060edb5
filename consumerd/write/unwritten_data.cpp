#include "consumerd/write/unwritten_data.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

#include <sys/stat.h>

#include "consumerd/descriptors/file_lock.hpp"
#include "consumerd/descriptors/trusted_open.hpp"
#include "consumerd/descriptors/unique_fd.hpp"
#include "consumerd/files/output_file.hpp"
#include "consumerd/write/staging_place.hpp"
#include "shm-layout/staging_area.hpp"

namespace ringside::consumer {
namespace {

// As much of a slot's header as names its file.
using SlotFront = std::array<std::byte, offsetof(shm::SlotHeader, reserved)>;

bool slot_names(const SlotFront& slot, const struct stat& file, const std::string& path) {
  const auto number_at = [&slot](std::size_t offset) {
    std::uint64_t number = 0;
    std::memcpy(&number, slot.data() + offset, sizeof number);
    return number;
  };
  if (number_at(offsetof(shm::SlotHeader, commit)) == 0) return false;
  if (number_at(offsetof(shm::SlotHeader, file_device)) == file.st_dev &&
      number_at(offsetof(shm::SlotHeader, file_inode)) == file.st_ino) {
    return true;
  }
  const auto* const name =
      reinterpret_cast<const char*>(slot.data() + offsetof(shm::SlotHeader, file_path));
  return std::string_view(name, strnlen(name, sizeof shm::SlotHeader::file_path)) == path;
}

// `entry`: from staging_entries(). Files that are too short name nothing.
bool is_staged_in(const std::string& directory, const std::string& entry, const struct stat& file,
                  const std::string& path) {
  const StagingEntry parsed = parse_staging_entry(entry);
  const UniqueFd fd = open_in(parsed.directory.value_or(directory), parsed.name, O_RDONLY);
  // Without descriptors or memory, what it names is not known.
  if (!fd) return errno == EMFILE || errno == ENFILE || errno == ENOMEM;
  // Other users can create such names too. Theirs must not keep a text waiting.
  struct stat info {};
  if (fstat(fd.get(), &info) != 0 || !is_own_file(info)) return false;
  SlotFront slot;
  for (std::uint32_t i = 0; i < shm::kMaxStagingSlots; ++i) {
    const auto offset = static_cast<off_t>(shm::slot_header_offset(i));
    if (pread(fd.get(), slot.data(), slot.size(), offset) != static_cast<ssize_t>(slot.size())) {
      return false;
    }
    if (slot_names(slot, file, path)) return true;
  }
  return false;
}

}  // namespace

bool has_unwritten_data(const std::string& shm_dir, const std::string& output_dir,
                        const std::string& path) {
  const UniqueFd fd = open_without_links(path, O_RDONLY);
  struct stat info {};
  if (fd) {
    if (fstat(fd.get(), &info) != 0 || byte_is_locked(fd.get(), kTraceFileLockByte)) return true;
  } else if (errno != ENOENT && errno != ELOOP && errno != EXDEV) {
    return true;  // it is there, and can be opened later
  }
  // A file that was removed or moved may be written too: by a process that has it open.
  for (const std::string& directory : {shm_dir, output_dir}) {
    for (const std::string& entry : staging_entries(directory)) {
      if (is_staged_in(directory, entry, info, path)) return true;
    }
  }
  return false;
}

}  // namespace ringside::consumer
