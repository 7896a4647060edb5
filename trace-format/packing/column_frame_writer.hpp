// Turns whole blocks of a trace file into the columns of one frame: README.md, "Columns".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/packing/column_bytes.hpp"
#include "trace-format/packing/column_layout.hpp"
#include "trace-format/packing/extent_rebuilder.hpp"

namespace ringside::trace {

class ColumnFrameWriter {
 public:
  ColumnFrameWriter() = default;

  // A block, or other bytes, that restore() returns unchanged.
  void add_bytes(std::span<const std::byte> bytes);

  // An EXTENT block of a section with the statements `sites`. False if columns would not restore it
  // byte for byte: add_bytes() takes it then. `section`: another number for each section.
  bool add_extent(std::span<const std::byte> block, const SiteTable& sites, std::uint64_t section);

  // The columns of everything that was added; valid until the next call.
  const ColumnWriter& finish();
  void clear();

  std::uint64_t extents() const { return heads_.size(); }
  // No further extent: its records could exceed a limit of readers.
  bool full() const { return ring_bytes_ > kFullFrameRingBytes; }

 private:
  struct RecordPlace {
    std::uint32_t site = 0;  // in sites_
    bool same = false;       // the values of the site's record before
    std::size_t arguments = 0;
    std::uint64_t time = 0;
    RecordExtension extension;
  };
  struct Heading {
    std::uint32_t site = 0;
    std::uint32_t predecessor = 0;  // 0: the extent's first
    bool same = false;
    std::uint64_t ticks = 0;
  };

  std::uint32_t site_number(const Site& site, std::uint64_t section);
  bool take_records(std::span<const std::byte> payload, const SiteTable& sites,
                    std::uint64_t section);
  void add_values(const RecordPlace& record);
  void add_extension(const RecordExtension& extension);
  void put_sites();
  void put_heads();
  void put_symbols();
  void put_times();
  void put_extensions();

  ColumnWriter out_;
  std::size_t restored_bytes_ = 0;
  std::vector<std::uint64_t> kinds_;
  std::vector<std::uint64_t> byte_lengths_;
  std::vector<std::byte> complements_;
  FrameSites sites_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> numbers_;
  std::vector<ExtentHeadValues> heads_;
  std::vector<Heading> records_;
  std::vector<SiteValues> values_;  // by site - 1
  std::vector<std::uint64_t> extension_flags_;
  std::vector<std::uint64_t> substreams_, stacks_, durations_;
  std::vector<std::string_view> activities_, related_;
  bool any_extension_ = false;
  std::size_t value_count_ = 0;
  std::size_t ring_bytes_ = 0;
  // The extents as ring bytes: the values' texts are views into them.
  std::deque<std::vector<std::byte>> rings_;
  std::deque<std::array<std::uint8_t, 16>> ids_;
  std::vector<RecordPlace> places_;
  ExtentDecoder decoder_;
};

}  // namespace ringside::trace
