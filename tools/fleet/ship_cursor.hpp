#pragma once
// What of a segment a queue has stored.

#include <cstdint>
#include <optional>
#include <string>

#include "tools/fleet/extent_message.hpp"
#include "tools/fleet/sent_streams.hpp"

namespace ringside::fleet {

struct ShipCursor {
  // The section that the last message was of, as in ExtentMessage, and how many of its blocks
  // that travel were read. A file that was rewritten meanwhile can have others at these places:
  // `streams` decides about extents.
  std::uint32_t file_sequence = 0;
  std::uint32_t section = 0;
  std::uint64_t blocks = 0;
  std::uint64_t sent_blocks = 0;  // of the section; without a selection, as many
  std::uint64_t stored = 0;       // number of the last message in the queue; 0: none
  SentStreams streams;

  bool operator==(const ShipCursor&) const = default;
};

// One file for each segment in a directory, replaced as a whole. Not thread-safe; one process at a
// time.
class CursorStore {
 public:
  // Creates the directory. Empty with `*why` if it cannot be used.
  static std::optional<CursorStore> open(const std::string& directory, std::string* why);

  // An empty cursor if there is none. False with `*why` if there is one that cannot be used.
  bool load(const SegmentUuid& uuid, ShipCursor& cursor, std::string* why) const;
  bool save(const SegmentUuid& uuid, const ShipCursor& cursor, std::string* why) const;

 private:
  explicit CursorStore(std::string directory) : directory_(std::move(directory)) {}
  std::string path_of(const SegmentUuid& uuid) const;

  std::string directory_;
};

}  // namespace ringside::fleet
