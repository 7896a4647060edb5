#pragma once
// Messages as trace files: DIRECTORY/HOST/SERVICE.PID.SEGMENT.NUMBER.ringtrace; those of a snapshot
// in DIRECTORY/snapshots/SNAPSHOT/HOST.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/fleet/contents_fetch.hpp"
#include "tools/fleet/dictionary_fragments.hpp"
#include "tools/fleet/extent_message.hpp"
#include "tools/fleet/large_contents.hpp"
#include "tools/fleet/message_queue.hpp"
#include "tools/fleet/sink_segment.hpp"
#include "trace-format/blocks/block_writer.hpp"

namespace ringside::fleet {

struct FileSinkCounts {
  std::uint64_t messages = 0;  // written, or known before
  std::uint64_t extents = 0;   // written
  std::uint64_t repeated_extents = 0;
  std::uint64_t refused = 0;
  std::uint64_t bytes = 0;  // written
};

enum class FileLayout : std::uint8_t {
  kFolderPerHost,
  kFlat,  // all files in the directory
};

// Not thread-safe. One process at a time for a directory.
class FileSink {
 public:
  using Fetch = FetchContents;

  // Creates the directory. Null with `*why` if it cannot be used. What is in it is continued.
  static std::unique_ptr<FileSink> open(const std::string& directory, Fetch fetch, std::string* why,
                                        FileLayout layout = FileLayout::kFolderPerHost);

  enum class Taken : std::uint8_t {
    kYes,           // written, but not durable before sync()
    kTooEarly,      // the message before it on its subject is missing
    kNoDictionary,  // a fragment, or the body, cannot be had now
    kRefused,       // never to be written; `*why` is the reason
    kFailed,        // the disk fails; `*why`
  };
  // `allows_gap`: the message before it will not come.
  Taken take(const StoredMessage& stored, bool allows_gap, std::string* why);

  // Makes everything durable that was taken. False with `*why`.
  bool sync(std::string* why);

  // After kNoDictionary: what the bucket does not have; empty if it could not be asked.
  const std::string& missing_contents() const { return fetch_.missing(); }

  const FileSinkCounts& counts() const { return counts_; }

 private:
  using Fragments = std::vector<NamedContents>;

  FileSink(std::string directory, Fetch fetch, FileLayout layout);
  Taken refused();
  bool is_too_early(const StoredMessage& stored, bool allows_gap) const;
  static Taken taken_of(FetchedWhole fetched);
  SinkSegment& segment_of(const ExtentMessage& message, const trace::SectionHeader& header,
                          const std::string& snapshot);
  Taken fetch_dictionary(const ExtentMessage& message, const SinkSegment& segment,
                         Fragments& fragments, std::string* why);
  bool write(SinkSegment& segment, const ExtentMessage& message, const StoredMessage& stored,
             const Fragments& fragments, std::string* why);

  const std::string directory_;
  ContentsFetch fetch_;
  const FileLayout layout_;
  const std::size_t most_open_;  // files at a time
  // By snapshot, which is empty for what is sent without one.
  std::map<std::pair<std::string, SegmentUuid>, std::unique_ptr<SinkSegment>> segments_;
  std::set<SinkSegment*> unsynced_;  // whose files are open
  FileSinkCounts counts_;
};

}  // namespace ringside::fleet
