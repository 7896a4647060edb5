#pragma once
// A staging file whose consumerd is dead: its lock is free. Made by hand.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "consumerd/descriptors/unique_fd.hpp"
#include "scripted_service.hpp"
#include "shm-layout/staging_area.hpp"

namespace ringside::consumer_test {

inline constexpr std::uint32_t kDeadSlots = 3;
inline constexpr std::uint64_t kDeadSlotBytes = 64U << 10;

class DeadStagingFile {
 public:
  explicit DeadStagingFile(const std::string& dir) : path_(dir + "/" + kName) {
    const std::uint64_t total = shm::slot_data_offset(kDeadSlots, kDeadSlots, kDeadSlotBytes);
    const consumer::UniqueFd fd(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    EXPECT_EQ(ftruncate(fd.get(), static_cast<off_t>(total)), 0);
    base_ = static_cast<std::byte*>(
        mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0));
    total_ = total;
    header().magic = shm::kStagingMagic;
    header().slot_count = kDeadSlots;
    header().slot_bytes = kDeadSlotBytes;
    header().version.store(shm::kStagingVersion);
  }
  ~DeadStagingFile() { munmap(base_, total_); }
  DeadStagingFile(const DeadStagingFile&) = delete;
  DeadStagingFile& operator=(const DeadStagingFile&) = delete;

  static constexpr const char* kName = "ringside-staging.00112233445566778899aabbccddeeff";

  shm::StagingHeader& header() { return *reinterpret_cast<shm::StagingHeader*>(base_); }
  shm::SlotHeader& slot(std::uint32_t index) {
    return *reinterpret_cast<shm::SlotHeader*>(base_ + shm::slot_header_offset(index));
  }

  void fill(std::uint32_t index, ScriptedService& service, const std::string& file,
            std::uint64_t offset, const std::string& bytes,
            const std::vector<shm::JournalEntry>& journal) {
    shm::SlotHeader& h = slot(index);
    h.file_offset = offset;
    std::memcpy(h.segment_uuid, service.header().uuid, 16);
    service.name().copy(h.segment_name, sizeof h.segment_name - 1);
    std::memset(h.file_path, 0, sizeof h.file_path);
    file.copy(h.file_path, sizeof h.file_path - 1);
    struct stat info {};
    if (stat(file.c_str(), &info) == 0) {
      h.file_device = info.st_dev;
      h.file_inode = info.st_ino;
    }
    std::copy(journal.begin(), journal.end(), h.journal);
    std::memcpy(base_ + shm::slot_data_offset(index, kDeadSlots, kDeadSlotBytes), bytes.data(),
                bytes.size());
    h.commit.store(shm::make_commit(static_cast<std::uint32_t>(bytes.size()),
                                    static_cast<std::uint32_t>(journal.size())));
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::byte* base_ = nullptr;
  std::uint64_t total_ = 0;
};

}  // namespace ringside::consumer_test
