#pragma once
// What a sink has of one segment: its files, and where it stopped.

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "tools/fleet/content_hash.hpp"
#include "tools/fleet/shipped_place.hpp"
#include "tools/fleet/stream_ledger.hpp"

namespace ringside::fleet {

// The files of a segment, of which the last one is written. All that is known of a message is
// written by one append(), and followed by a SHIPPED block: what comes after the last of these is
// of a writer that died, and is cut off. Not thread-safe.
class SinkSegment {
 public:
  // Reads what earlier processes wrote. `stem`: of the files' names, with the last point.
  SinkSegment(std::string folder, std::string stem);
  ~SinkSegment();
  SinkSegment(const SinkSegment&) = delete;
  SinkSegment& operator=(const SinkSegment&) = delete;

  // Number of the last message, 0 if it is of another queue than one of this time, and the place
  // after its blocks.
  std::uint64_t last_message(std::uint64_t queue_created_ns) const {
    return queue_created_ns == last_.queue_created_ns ? last_.message : 0;
  }
  const ShippedBlock& last() const { return last_; }
  const BlockPlace& next_place() const { return last_.next; }
  // Whether the section at next_place() has begun in the file, and not ended. Not if the file was
  // removed after it was closed.
  bool is_in_section() const;

  StreamLedger& ledger() { return ledger_; }
  const StreamLedger& ledger() const { return ledger_; }
  // Fragments of the dictionary that this process has written in the present section, and
  // manifests of which it has written all.
  std::set<ContentHash>& fragments() { return fragments_; }
  const std::set<ContentHash>& fragments() const { return fragments_; }

  // Appends blocks to the file with this number. False with `*why` if the disk fails.
  bool append(std::uint32_t file_sequence, std::span<const std::byte> blocks,
              const ShippedBlock& shipped, bool leaves_section_open, std::string* why);
  // Makes the file durable and closes it: segments can be more than descriptors. append() opens it
  // again. False with `*why` if the disk fails.
  bool sync(std::string* why);

 private:
  void recover_file(const std::string& path);
  bool open_file(const std::string& path, std::string* why);

  const std::string folder_;
  const std::string stem_;
  int fd_ = -1;
  std::string path_;
  bool is_new_ = false;  // its name is not durable
  ShippedBlock last_;
  bool is_in_section_ = false;
  StreamLedger ledger_;
  std::set<ContentHash> fragments_;
};

// What is after the last SHIPPED block of a file of a sink in the host folders of `directory` is
// cut off, as far as that is possible: readers shall not find it until more of the segment comes.
void cut_unfinished_writes(const std::string& directory);

}  // namespace ringside::fleet
