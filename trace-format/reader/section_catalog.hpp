// The sites and streams of a section, and which of them a reader wants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/codec/site_choice.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/reader/read_options.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::trace {

class SectionCatalog {
 public:
  struct Stream {
    StreamInfo info;
    bool wanted = true;
    std::uint64_t last_tsc = 0;  // of its extents so far
    bool asked = false;          // `wanted` is valid for the present info
  };

  // `options` and `segment` must outlive the catalog.
  SectionCatalog(const ReadOptions& options, const SegmentInfo& segment)
      : options_(options), segment_(segment) {}

  // Adds the entries of a DICTIONARY block. Returns false with `*why` if part of it is invalid.
  bool add_entries(std::span<const std::byte> payload, std::string* why);
  void add_stream(const StreamBlock& block);

  const SiteTable& sites() const { return sites_; }
  Stream& stream(std::uint64_t id);  // the reference stays valid

  // For decoders; null: all sites are wanted. Replaced when add_entries() brings new sites. Any
  // number of threads may use it.
  const std::shared_ptr<SiteChoice>& choice() const { return choice_; }

  // Whether an extent of these sites with these records must be decoded; also if one is unknown,
  // because only decoding shows whether it matters.
  bool wants(std::span<const std::byte> site_ids, std::span<const std::byte> records) const;
  bool knows(std::span<const std::byte> site_ids) const;

 private:
  const ReadOptions& options_;
  const SegmentInfo& segment_;
  SiteTable sites_;
  std::vector<bool> asked_;       // by site id
  std::vector<bool> wanted_;      // by site id
  std::vector<bool> needs_text_;  // by site id
  std::shared_ptr<SiteChoice> choice_;
  std::unordered_map<std::uint64_t, Stream> streams_;
};

}  // namespace ringside::trace
