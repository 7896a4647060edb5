#pragma once
// This consumerd's staging file (shm-layout/staging_area.hpp): slots of shared memory in which
// encoded bytes wait for the disk, where a successor finds them if this process dies.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "consumerd/mapped_file.hpp"
#include "consumerd/unique_fd.hpp"
#include "shm-layout/record_head.hpp"
#include "shm-layout/staging_area.hpp"

namespace ringside::consumer {

inline constexpr std::uint32_t kStagingSlots = 15;
// The largest record must fit into an empty slot, encoded in the worst way.
inline constexpr std::uint64_t kStagingSlotBytes = 2 * shm::kMaxRecordBytes + (64U << 10);
inline constexpr std::uint32_t kNoSlot = UINT32_MAX;

class StagingFile {
 public:
  // Created in `shm_dir`, locked. Null with `why` (what, where, remedy) if that fails.
  static std::unique_ptr<StagingFile> create(const std::string& shm_dir, std::string* why);
  // Removes the file, unless something in it has not been written: then a successor finds it.
  ~StagingFile();

  const std::array<std::uint8_t, 16>& uuid() const { return uuid_; }

  // A free slot, backed by memory, or kNoSlot. `*first_use` tells when its data is new.
  std::uint32_t acquire(bool* first_use);
  // Slots that are not taken, whether memory backs them yet or not.
  std::uint32_t free_slots() const { return free_slots_; }
  // Gives the slot back: its commit word must be 0.
  void release(std::uint32_t slot);
  // Whether the last refusal of acquire() was for want of memory, not of a free slot.
  bool out_of_memory() const { return out_of_memory_; }

  // Whether a successor would find it: it still has its name.
  bool reachable() const;
  // Goes on as `fresh`, whose slots are all free, as are the ones here; this one's file goes.
  void change_to(StagingFile& fresh);

  shm::SlotHeader& header(std::uint32_t slot);
  std::span<std::byte> data(std::uint32_t slot);

 private:
  // `*contested`: another consumerd has taken the new file for an abandoned one.
  static std::unique_ptr<StagingFile> create_once(const std::string& shm_dir, bool* contested,
                                                  std::string* why);
  StagingFile() = default;

  std::string path_;
  UniqueFd fd_;
  boost::interprocess::mapped_region region_;
  std::array<std::uint8_t, 16> uuid_{};
  std::vector<bool> free_;
  std::uint32_t free_slots_ = 0;
  std::vector<bool> backed_;
  bool out_of_memory_ = false;
};

// "ringside-staging.<32 hex digits>"
std::string staging_name(const std::array<std::uint8_t, 16>& uuid);

}  // namespace ringside::consumer
