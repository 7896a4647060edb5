#pragma once
// Copies the segment's dictionary into the site table and, before any record uses an entry, into
// the file.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/write/trace_file.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::consumer {

class DictionaryFeed {
 public:
  enum class Result {
    kReady,    // everything committed until now is known and in the file
    kNoSpace,  // not all of it is in the file: no staging slot is free
  };

  DictionaryFeed(AttachedSegment& segment, TraceFile& file, const Log& log)
      : segment_(segment), file_(file), log_(log) {}
  // For another file of the same segment, which begins with what `of` restates.
  DictionaryFeed(const DictionaryFeed& of, TraceFile& file);
  DictionaryFeed(const DictionaryFeed&) = delete;
  DictionaryFeed& operator=(const DictionaryFeed&) = delete;

  // Call after reading a producer position (acquire): the site of every record before that position
  // was committed earlier. Damage is logged once; the sites before it stay usable, and a record of
  // any other site counts as one of an unknown site.
  Result update();

  // Appends all known entries as DICTIONARY blocks to the front of a new section.
  void restate(std::vector<std::byte>* front) const;
  // The section with that front becomes the present one.
  void enter_restated_section() { written_bytes_ = known_.size(); }

  // The known entries from `offset` on that fit into one block; empty at the end. An offset is 0 or
  // the end of an earlier result.
  std::span<const std::byte> block_from(std::size_t offset) const;

  bool damaged() const { return damaged_; }
  const trace::SiteTable& sites() const { return sites_; }

 private:
  Result write_pending();
  void take(std::uint64_t committed);
  void damage(const std::string& what);

  AttachedSegment& segment_;
  TraceFile& file_;
  const Log& log_;
  trace::SiteTable sites_;
  std::vector<std::byte>
      known_;  // whole entries: a private copy, because the service can change the original
  std::size_t written_bytes_ = 0;  // of known_, in the present section
  bool damaged_ = false;           // an entry is damaged: entries after it cannot be found
  bool logged_length_ = false;     // the impossible length was logged
};

}  // namespace ringside::consumer
