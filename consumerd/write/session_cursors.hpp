#pragma once
// A session's place in the rings of one segment, in a file that outlives this process
// (shm-layout/session_file.hpp).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <boost/interprocess/mapped_region.hpp>

#include "consumerd/descriptors/unique_fd.hpp"
#include "shm-layout/session_file.hpp"

namespace ringside::consumer {

using CursorState = shm::SessionCursor::Copy;

class SessionCursors {
 public:
  // Opens or creates the file for a segment with `ring_count` rings. Null with `*why`.
  static std::unique_ptr<SessionCursors> open(const std::string& shm_dir,
                                              const std::uint8_t (&segment_uuid)[16],
                                              const shm::SessionUuid& session_uuid,
                                              std::uint32_t ring_count, std::string* why);

  // The existing file of this user for a session's trace with this uuid; null if there is none.
  static std::unique_ptr<SessionCursors> find(const std::string& shm_dir,
                                              const std::uint8_t (&uuid)[16]);

  // The stored state; nothing if there is none.
  std::optional<CursorState> load(std::uint32_t ring) const;
  // False if there is no memory for it.
  bool store(std::uint32_t ring, const CursorState& state);
  void remove();

  // The deadline of statements that sessions have enabled in the segment.
  struct Lease {
    std::uint64_t slot = 0;  // of shm::SwitchDeadlines, plus 1; 0: none
    std::uint64_t deadline_tsc = 0;
  };
  Lease lease() const;
  void store_lease(const Lease& lease);

 private:
  SessionCursors() = default;
  shm::SessionCursor& cursor(std::uint32_t ring) const;

  std::string path_;
  UniqueFd fd_;
  boost::interprocess::mapped_region region_;
  std::uint32_t ring_count_ = 0;
  std::uint64_t backed_bytes_ = 0;  // of the file, from its beginning
};

// The name of the file, from the uuid of the session's trace of the segment.
std::string cursor_file_name(const std::uint8_t (&uuid)[16]);

// Removes all files of the session.
void remove_cursor_files(const std::string& shm_dir, const shm::SessionUuid& session);

}  // namespace ringside::consumer
