// The sites and streams of a section, and which of them a reader wants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace-format/block_writer.hpp"
#include "trace-format/read_options.hpp"
#include "trace-format/site_choice.hpp"
#include "trace-format/site_table.hpp"
#include "trace-format/trace_event.hpp"

namespace ringside::trace {

class SectionCatalog {
 public:
  struct Stream {
    StreamInfo info;
    bool wanted = true;
    std::uint64_t last_tsc = 0;  // of its extents so far
    bool asked = false;          // `wanted` holds for the present info
  };

  // `options` and `segment` must outlive it.
  SectionCatalog(const ReadOptions& options, const SegmentInfo& segment)
      : options_(options), segment_(segment) {}

  // Of a DICTIONARY block. False with `*why` if part of it is not sound.
  bool add_entries(std::span<const std::byte> payload, std::string* why);
  void add_stream(const StreamBlock& block);

  const SiteTable& sites() const { return sites_; }
  Stream& stream(std::uint64_t id);  // never moves

  // For decoders; null: all sites are wanted. Another one after add_entries() brought new sites.
  // Any number of threads may use it.
  const std::shared_ptr<SiteChoice>& choice() const { return choice_; }

  // Whether an extent of these sites has to be decoded; also if one is unknown, which only decoding
  // may show to matter.
  bool wants(std::span<const std::byte> site_ids) const;
  bool knows(std::span<const std::byte> site_ids) const;

 private:
  const ReadOptions& options_;
  const SegmentInfo& segment_;
  SiteTable sites_;
  std::vector<bool> asked_;   // by site id
  std::vector<bool> wanted_;  // by site id
  std::shared_ptr<SiteChoice> choice_;
  std::unordered_map<std::uint64_t, Stream> streams_;
};

}  // namespace ringside::trace
