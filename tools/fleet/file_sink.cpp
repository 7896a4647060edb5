#include "tools/fleet/file_sink.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <sys/resource.h>

#include "shm-layout/dictionary_entry.hpp"
#include "tools/fleet/extent_subject.hpp"
#include "tools/fleet/message_header.hpp"
#include "tools/fleet/sink_segment.hpp"
#include "tools/fleet/trace_segments.hpp"
#include "trace-format/codec/extent_decoder.hpp"

namespace ringside::fleet {
namespace {

using trace::BlockType;

std::span<const std::byte> payload_of(std::span<const std::byte> block) {
  return block.subspan(trace::kBlockHeaderBytes);
}

// A host of that name would have its files beside these folders.
std::string snapshot_folder(const std::string& directory, const std::string& snapshot) {
  return directory + "/snapshots/" + snapshot;
}

// The index of the original has the places of its blocks.
Bytes end_without_index(std::span<const std::byte> block) {
  trace::EndBlock end;
  Bytes bytes(block.begin(), block.end());
  if (!trace::EndBlock::parse(payload_of(block), end)) return bytes;
  end.index_bytes = 0;
  bytes.resize(trace::kBlockHeaderBytes + trace::kEndBytes);
  trace::write_end_block(end, bytes);
  return bytes;
}

// Files that are open at a time, of which each has come since the last sync. Most descriptors
// remain for other uses.
std::size_t most_open_files() {
  constexpr rlim_t kMost = 256;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  return static_cast<std::size_t>(std::clamp<rlim_t>(limit.rlim_cur / 4, 1, kMost));
}

// Whether a block of the message is not in the files.
bool has_news(const SinkSegment& segment, const ExtentMessage& message) {
  BlockPlace place{message.file_sequence, message.section, message.first_block};
  bool is_news = false;
  for_each_block(message.blocks,
                 [&](const trace::BlockFrame& frame, std::span<const std::byte> block) {
                   trace::ExtentHeader extent;
                   if (frame.type != BlockType::kExtent) {
                     is_news = is_news || place >= segment.next_place();
                   } else if (trace::ExtentHeader::parse(payload_of(block), extent)) {
                     is_news = is_news || !segment.ledger().has(extent);
                   }
                   ++place.number;
                 });
  return is_news;
}

// Blocks for a file, among them the dictionary, which follows the header and the first clock.
class FileBlocks {
 public:
  explicit FileBlocks(const std::vector<NamedContents>& fragments) : fragments_(fragments) {}

  void add(BlockType type, std::span<const std::byte> block) {
    if (!has_dictionary_ && type != BlockType::kHeader && type != BlockType::kClock)
      add_dictionary();
    bytes_.insert(bytes_.end(), block.begin(), block.end());
  }
  bool has_dictionary() const { return has_dictionary_; }
  const Bytes& bytes() const { return bytes_; }

 private:
  void add_dictionary() {
    has_dictionary_ = true;
    for (const NamedContents& fragment : fragments_) {
      const std::size_t at = bytes_.size();
      bytes_.resize(at + trace::kBlockHeaderBytes + fragment.bytes.size());
      trace::write_dictionary_block(fragment.bytes, std::span(bytes_).subspan(at));
    }
  }

  const std::vector<NamedContents>& fragments_;
  bool has_dictionary_ = false;
  Bytes bytes_;
};

}  // namespace

FileSink::FileSink(std::string directory, Fetch fetch, FileLayout layout)
    : directory_(std::move(directory)),
      fetch_(std::move(fetch)),
      layout_(layout),
      most_open_(most_open_files()) {}

std::unique_ptr<FileSink> FileSink::open(const std::string& directory, Fetch fetch,
                                         std::string* why, FileLayout layout) {
  std::error_code code;
  std::filesystem::create_directories(directory, code);
  if (code) {
    *why = directory + ": cannot be created: " + code.message() + "; name another directory";
    return nullptr;
  }
  cut_unfinished_writes(directory);
  return std::unique_ptr<FileSink>(new FileSink(directory, std::move(fetch), layout));
}

SinkSegment& FileSink::segment_of(const ExtentMessage& message, const trace::SectionHeader& header,
                                  const std::string& snapshot) {
  std::unique_ptr<SinkSegment>& segment = segments_[{snapshot, message.uuid}];
  if (segment == nullptr) {
    const std::string folder =
        snapshot.empty() ? directory_ : snapshot_folder(directory_, snapshot);
    segment = std::make_unique<SinkSegment>(
        layout_ == FileLayout::kFlat ? directory_ : folder + "/" + subject_part(header.host),
        fmt::format("{}.{}.{}.", subject_part(header.service), header.pid,
                    uuid_text(message.uuid)));
  }
  return *segment;
}

FileSink::Taken FileSink::taken_of(FetchedWhole fetched) {
  switch (fetched) {
    case FetchedWhole::kYes:
      return Taken::kYes;
    case FetchedWhole::kInvalid:
      return Taken::kRefused;
    case FetchedWhole::kNotNow:
      break;
  }
  return Taken::kNoDictionary;
}

FileSink::Taken FileSink::fetch_dictionary(const ExtentMessage& message, const SinkSegment& segment,
                                           Fragments& fragments, std::string* why) {
  if (!needs_dictionary(message) || segment.fragments().contains(message.manifest))
    return Taken::kYes;
  Bytes manifest;
  Taken taken = taken_of(fetch_.whole(message.manifest, kMostManifestBytes, manifest, why));
  if (taken != Taken::kYes) return taken;
  std::vector<ContentHash> hashes;
  if (!read_manifest(manifest, hashes, why)) return Taken::kRefused;
  for (const ContentHash& hash : hashes) {
    if (segment.fragments().contains(hash)) continue;
    NamedContents contents{hash, {}};
    taken = taken_of(fetch_.whole(hash, shm::kMaxEntryBytes, contents.bytes, why));
    if (taken != Taken::kYes) return taken;
    fragments.push_back(std::move(contents));
  }
  return Taken::kYes;
}

FileSink::Taken FileSink::refused() {
  ++counts_.refused;
  return Taken::kRefused;
}

// Of a message whose body is not fetched yet, so that it is fetched once.
bool FileSink::is_too_early(const StoredMessage& stored, bool allows_gap) const {
  const auto segment =
      segments_.find(std::pair(snapshot_of(stored.subject), stated_uuid(stored.payload)));
  if (allows_gap || segment == segments_.end()) return false;
  const std::uint64_t last = segment->second->last_message(stored.queue_created_ns);
  return stored.number > last && stated_previous(stored.payload) > last;
}

FileSink::Taken FileSink::take(const StoredMessage& stored, bool allows_gap, std::string* why) {
  // A body is fetched once: not before its message is the next one.
  ContentHash body_hash{};
  if (names_body(stored.payload, body_hash) && is_too_early(stored, allows_gap))
    return Taken::kTooEarly;
  Bytes whole;
  const Taken fetched = taken_of(fetch_.named_body(stored.payload, whole, why));
  if (fetched == Taken::kRefused) return refused();
  if (fetched != Taken::kYes) return fetched;
  ExtentMessage message;
  trace::SectionHeader header;
  if (!read_extent_message(whole.empty() ? stored.payload : whole, message, why)) return refused();
  std::string snapshot;
  if (!find_message_header(message, stored.subject, header, &snapshot, why)) return refused();
  if (message.previous >= stored.number) {
    *why = "the message before it would be a later one";
    return refused();
  }
  SinkSegment& segment = segment_of(message, header, snapshot);
  // A queue that was restored from a copy has begun with lower numbers again.
  const std::uint64_t last = segment.last_message(stored.queue_created_ns);
  if (stored.number > last || has_news(segment, message)) {
    if (message.previous > last && !allows_gap) return Taken::kTooEarly;
    const BlockPlace place{message.file_sequence, message.section, 0};
    const BlockPlace& next = segment.next_place();
    const bool continues = segment.is_in_section() && next.file_sequence == place.file_sequence &&
                           next.section == place.section;
    if (!continues) segment.fragments().clear();
    Fragments fragments;
    const Taken taken = fetch_dictionary(message, segment, fragments, why);
    if (taken == Taken::kRefused) return refused();
    if (taken != Taken::kYes) return taken;
    if (!unsynced_.contains(&segment) && unsynced_.size() >= most_open_ && !sync(why))
      return Taken::kFailed;
    if (!write(segment, message, stored, fragments, why)) return Taken::kFailed;
    unsynced_.insert(&segment);
  }
  ++counts_.messages;
  return Taken::kYes;
}

// Writes what of the message is new.
bool FileSink::write(SinkSegment& segment, const ExtentMessage& message,
                     const StoredMessage& stored, const Fragments& fragments, std::string* why) {
  const BlockPlace known = segment.next_place();
  BlockPlace place{message.file_sequence, message.section, message.first_block};
  bool is_in_section = segment.is_in_section() && known.file_sequence == place.file_sequence &&
                       known.section == place.section;
  FileBlocks out(fragments);
  const auto begin_section = [&] {
    const Bytes& front = message.repeated.empty() ? message.blocks : message.repeated;
    for_each_block(front, [&out](const trace::BlockFrame& frame, std::span<const std::byte> block) {
      const bool describes = frame.type == BlockType::kHeader || frame.type == BlockType::kClock ||
                             frame.type == BlockType::kStream;
      if (describes) out.add(frame.type, block);
    });
    is_in_section = true;
  };
  for_each_block(message.blocks,
                 [&](const trace::BlockFrame& frame, std::span<const std::byte> block) {
                   bool is_new = place >= known;
                   ++place.number;
                   trace::ExtentHeader extent;
                   if (frame.type == BlockType::kExtent) {
                     if (!trace::ExtentHeader::parse(payload_of(block), extent)) return;
                     is_new = segment.ledger().take(extent);
                     ++(is_new ? counts_.extents : counts_.repeated_extents);
                   }
                   if (!is_new) return;
                   if (frame.type == BlockType::kHeader) {
                     is_in_section = true;
                   } else if (!is_in_section) {
                     begin_section();
                   }
                   if (frame.type != BlockType::kEnd) return out.add(frame.type, block);
                   out.add(frame.type, end_without_index(block));
                   is_in_section = false;
                 });
  if (out.has_dictionary()) {
    for (const NamedContents& fragment : fragments) segment.fragments().insert(fragment.hash);
    // All of the manifest's: it need not be fetched again.
    segment.fragments().insert(message.manifest);
  }
  // A file is named for its sections, and a message of nothing new leaves it as it is.
  const bool is_behind = out.bytes().empty() && place < known;
  ShippedBlock shipped{stored.number, std::max(place, known), stored.queue_created_ns};
  if (shipped.queue_created_ns < segment.last().queue_created_ns) {
    // What was still on its way from a queue that is gone.
    shipped.message = segment.last().message;
    shipped.queue_created_ns = segment.last().queue_created_ns;
  }
  counts_.bytes += out.bytes().size() + ShippedBlock::kBytes;
  return segment.append(is_behind ? known.file_sequence : message.file_sequence, out.bytes(),
                        shipped, is_behind ? segment.is_in_section() : is_in_section, why);
}

bool FileSink::sync(std::string* why) {
  for (SinkSegment* const segment : unsynced_) {
    if (!segment->sync(why)) return false;
  }
  unsynced_.clear();
  return true;
}

}  // namespace ringside::fleet
