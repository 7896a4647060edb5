#pragma once
// Carries the segment's dictionary into the site table and, ahead of every use, into the file.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "consumerd/attached_segment.hpp"
#include "consumerd/trace_file.hpp"
#include "trace-format/site_table.hpp"

namespace ringside::consumer {

class DictionaryFeed {
 public:
  enum class Result {
    kReady,    // everything committed so far is known and in the file
    kNoSpace,  // not all of it is in the file: no staging slot is free
    kCorrupt,  // `why` says how; the segment cannot be understood any more
  };

  DictionaryFeed(AttachedSegment& segment, TraceFile& file) : segment_(segment), file_(file) {}

  // To be called after a producer position was read (acquire): every record before that
  // position is of a site that was committed before.
  Result update(std::string* why);

  const trace::SiteTable& sites() const { return sites_; }

 private:
  Result write_pending();

  AttachedSegment& segment_;
  TraceFile& file_;
  trace::SiteTable sites_;
  std::uint64_t known_bytes_ = 0;
  std::vector<std::byte> pending_;  // known, but not yet in the file from pending_from_ on
  std::size_t pending_from_ = 0;
};

}  // namespace ringside::consumer
