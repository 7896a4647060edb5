#pragma once
// The messages of one segment, in order, from its trace files, while they grow.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/fleet/dictionary_fragments.hpp"
#include "tools/fleet/extent_message.hpp"
#include "tools/fleet/record_selection.hpp"
#include "tools/fleet/repeated_blocks.hpp"
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
  std::map<std::uint32_t, std::uint64_t> lost;  // records that its extents report as lost, by cause
  std::string path;                             // of its file, before that was packed
  std::uint32_t next_file = 0;  // once it is stored, all files with a lower number are
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
  // Continues at the cursor. `selection`: null: all records. What it refers to must outlive it.
  SegmentSource(const SegmentUuid& uuid, ShipCursor cursor, const RecordSelection* selection,
                trace::OpenFiles& files, trace::ReadReport& report);
  ~SegmentSource();

  // All files of the segment that exist; call it again when there are more.
  void set_files(std::vector<SegmentFile> files);

  // The next blocks, about `most_bytes` of them at most, unless one block is larger. Nothing if no
  // block is complete now; a message without blocks if none was selected of many: call it again.
  std::optional<PreparedMessage> next(std::size_t most_bytes);

  // After next() returned nothing, and with all messages stored: whether the file that was read,
  // the last one, is shipped as a whole. It ended, or the machine was started again since.
  bool is_finished() const;
  // Of the file that was read last; empty: none.
  std::optional<std::uint32_t> file_sequence() const { return file_sequence_; }
  const std::string& path() const { return path_; }
  // What of the files was not read; since when the first of these files was not written any more.
  UnreadBytes unread() const;

 private:
  struct Section;

  bool open_file();
  bool can_be_left(const std::string& path, trace::ReadError error);
  bool read_block(trace::Block& block, bool may_leave_file);
  void begin_section(const trace::Block& block, PreparedMessage& prepared);
  void add(const trace::Block& block, PreparedMessage& prepared);
  Bytes selected_of(const trace::Block& block, SentStreams& sent);
  void remember(const trace::Block& block);
  bool is_shipped(const trace::Block& block) const;
  void note_place(ShipCursor& after);
  bool is_worth_sending(const PreparedMessage& prepared) const;
  void complete(PreparedMessage& prepared);
  static void drop_blocks(PreparedMessage& prepared);
  static void count(const trace::ExtentHeader& extent, PreparedMessage& prepared);
  static Bytes unshipped_part(const trace::Block& block, const SentStreams& sent);

  const SegmentUuid uuid_;
  std::unique_ptr<RecordSelection> everything_;  // after a selection that has pending records
  const RecordSelection* const selection_;
  const bool is_subset_;
  trace::OpenFiles& open_files_;
  trace::ReadReport& report_;
  std::vector<SegmentFile> files_;
  ShipCursor cursor_;
  std::optional<std::uint32_t> file_sequence_;  // of the file that is read
  std::string path_;                            // the same
  std::unique_ptr<trace::TraceFile> file_;
  std::unique_ptr<trace::BlockReader> reader_;
  std::string unopened_;                         // the file that could not be opened last, for now
  std::optional<std::uint32_t> section_number_;  // in the file; empty before its first HEADER
  bool has_file_end_ = false;                    // no section follows in the file
  std::uint64_t block_number_ = 0;               // of the next one of the section that travels
  std::unique_ptr<Section> section_;             // that is read; null: none
  Bytes held_;                                   // a HEADER that begins the next message
  // Of a section without selected records until now, if only others are sent.
  std::optional<PreparedMessage> waiting_;
};

}  // namespace ringside::fleet
