#pragma once
// This consumerd's staging file (shm-layout/staging_area.hpp): slots of shared memory that hold
// encoded bytes until they are on disk. If this process dies, a successor finds them there.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "consumerd/descriptors/mapped_file.hpp"
#include "consumerd/descriptors/unique_fd.hpp"
#include "shm-layout/record_head.hpp"
#include "shm-layout/staging_area.hpp"

namespace ringside::consumer {

inline constexpr std::uint32_t kStagingSlots = 15;  // of one thread
// The largest record must fit into an empty slot even with the worst encoding.
inline constexpr std::uint64_t kStagingSlotBytes = 2 * shm::kMaxRecordBytes + (64U << 10);
inline constexpr std::uint32_t kNoSlot = UINT32_MAX;

// Thread t has the slots [t * kStagingSlots, (t + 1) * kStagingSlots). Threads may use their own
// slots at the same time; functions without a thread are for the poll loop between two rounds.
class StagingFile {
 public:
  // Creates and locks the file in `shm_dir`. On failure returns null with `why` (what, where,
  // remedy).
  static std::unique_ptr<StagingFile> create(const std::string& shm_dir, std::string* why,
                                             std::uint32_t threads = 1);
  // The same in `directory`, with a marker in `shm_dir` (staging_place.hpp): for full shared
  // memory. Both paths are absolute.
  static std::unique_ptr<StagingFile> create_elsewhere(const std::string& shm_dir,
                                                       const std::string& directory,
                                                       std::string* why, std::uint32_t threads = 1);
  // Removes the file, unless it holds unwritten bytes: then a successor finds it.
  ~StagingFile();

  const std::array<std::uint8_t, 16>& uuid() const { return uuid_; }

  // A free slot of the thread, backed by memory, or kNoSlot. `*first_use` is set if its memory is
  // new.
  std::uint32_t acquire(bool* first_use, std::uint32_t thread = 0);
  // Slots of the thread not in use, whether or not memory backs them yet.
  std::uint32_t free_slots(std::uint32_t thread = 0) const { return threads_[thread].free_slots; }
  std::uint32_t slots() const { return static_cast<std::uint32_t>(free_.size()); }
  std::uint32_t slots_used() const;
  // Returns the slot: its commit word must be 0.
  void release(std::uint32_t slot);
  // Whether the last acquire() failed for lack of memory, not of a free slot.
  bool out_of_memory(std::uint32_t thread = 0) const { return threads_[thread].out_of_memory; }
  // Whether no slot has memory and none can get any.
  bool has_no_memory() const;
  // Reserves memory for one slot. False if there is none.
  bool reserve_one();
  // Whether the file is outside shared memory.
  bool is_elsewhere() const { return !marker_path_.empty(); }
  const std::string& path() const { return path_; }

  // Whether a successor would find the file: it still has its name.
  bool reachable() const;
  // Replaces this file by `fresh`. All slots of both must be free; this one's file is removed.
  void change_to(StagingFile& fresh);

  shm::SlotHeader& header(std::uint32_t slot);
  std::span<std::byte> data(std::uint32_t slot);

 private:
  // `*contested`: another consumerd took the new file for an abandoned one.
  static std::unique_ptr<StagingFile> create_patiently(const std::string& shm_dir,
                                                       const std::string& directory,
                                                       std::uint32_t threads, std::string* why);
  static std::unique_ptr<StagingFile> create_once(const std::string& shm_dir,
                                                  const std::string& directory,
                                                  std::uint32_t threads, bool* contested,
                                                  std::string* why);
  StagingFile() = default;
  bool reserve_slot(std::uint32_t slot);
  bool make_marker(const std::string& shm_dir, const std::string& directory);

  std::string path_;
  UniqueFd fd_;
  std::string marker_path_;  // empty: there is no marker
  UniqueFd marker_;          // locked: shows tools and services that a consumer is alive
  boost::interprocess::mapped_region region_;
  std::array<std::uint8_t, 16> uuid_{};
  // Of one thread.
  struct Part {
    std::uint32_t free_slots = kStagingSlots;
    bool out_of_memory = false;
  };
  std::vector<Part> threads_;
  // By slot. Bytes, because two threads must not share one.
  std::vector<std::uint8_t> free_;
  std::vector<std::uint8_t> backed_;
};

// "ringside-staging.<32 hex digits>"
std::string staging_name(const std::array<std::uint8_t, 16>& uuid);

}  // namespace ringside::consumer
