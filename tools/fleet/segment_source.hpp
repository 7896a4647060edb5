#pragma once
// The messages of one segment, in order, from its trace files, while they grow.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/fleet/dictionary_fragments.hpp"
#include "tools/fleet/extent_message.hpp"
#include "tools/fleet/ship_cursor.hpp"
#include "tools/fleet/trace_segments.hpp"
#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/reader/open_files.hpp"

namespace ringside::fleet {

struct PreparedMessage {
  ExtentMessage message;                // without its number of the message before
  std::vector<NamedContents> contents;  // to be stored before it
  ShipCursor after;                     // once it is stored, except for its number
  std::uint64_t records = 0;
  std::uint64_t lost = 0;  // as its extents state
  // When it was read, or when its file was written last, if that is longer ago.
  std::filesystem::file_time_type since;
};

struct UnreadBytes {
  std::uint64_t bytes = 0;
  std::filesystem::file_time_type since = std::filesystem::file_time_type::max();
};

// Not thread-safe.
class SegmentSource {
 public:
  // Continues at the cursor. `files` and `report` must outlive it.
  SegmentSource(const SegmentUuid& uuid, ShipCursor cursor, trace::OpenFiles& files,
                trace::ReadReport& report);
  ~SegmentSource();

  // All files of the segment that exist; call it again when there are more.
  void set_files(std::vector<SegmentFile> files);

  // The next blocks, about `most_bytes` of them at most, unless one block is larger. Nothing if no
  // block is complete now.
  std::optional<PreparedMessage> next(std::size_t most_bytes);

  // What of the files was not read; since when the first of these files was not written any more.
  UnreadBytes unread() const;

 private:
  // What messages of a section repeat.
  struct Section {
    Bytes header;
    std::deque<Bytes> clocks;                // the last ones
    std::map<std::uint64_t, Bytes> streams;  // by stream
    DictionaryFragments dictionary;
  };

  bool open_file();
  bool read_block(trace::Block& block, bool may_leave_file);
  void begin_section(const trace::Block& block, PreparedMessage& prepared);
  void add(const trace::Block& block, PreparedMessage& prepared);
  bool is_shipped(const trace::Block& block) const;
  void repeat_streams(ExtentMessage& message) const;

  const SegmentUuid uuid_;
  trace::OpenFiles& open_files_;
  trace::ReadReport& report_;
  std::vector<SegmentFile> files_;
  ShipCursor cursor_;
  std::optional<std::uint32_t> file_sequence_;  // of the file that is read
  std::string path_;                            // the same
  std::unique_ptr<trace::TraceFile> file_;
  std::unique_ptr<trace::BlockReader> reader_;
  std::optional<std::uint32_t> section_number_;  // in the file; empty before its first HEADER
  std::uint64_t block_number_ = 0;               // of the next one of the section that travels
  std::optional<Section> section_;
  Bytes held_;  // a HEADER that begins the next message
};

}  // namespace ringside::fleet
