// A section that is being read: its file, its clocks, sites and streams, and what is wanted of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/reader/decode_pool.hpp"
#include "trace-format/reader/read_options.hpp"
#include "trace-format/reader/read_window.hpp"
#include "trace-format/reader/section_catalog.hpp"
#include "trace-format/reader/section_scan.hpp"
#include "trace-format/reader/sequence_ledger.hpp"

namespace ringside::trace {

// The parts that the sections of a set share. All must outlive the reader.
struct SectionContext {
  const ReadOptions* options = nullptr;
  ReadReport* report = nullptr;
  SequenceLedger* ledger = nullptr;  // of the section's segment
  std::size_t place = 0;             // index of the section in it
  DecodePool* pool = nullptr;        // null: the reader decodes
};

class OpenSection {
 public:
  OpenSection(std::shared_ptr<TraceFile> file, SectionScan scan, const SectionContext& context);
  OpenSection(const OpenSection&) = delete;
  OpenSection& operator=(const OpenSection&) = delete;

  const ReadOptions& options() const { return options_; }
  ReadReport& report() { return report_; }
  TraceFile& file() { return *file_; }
  const SectionScan& scan() const { return scan_; }
  const ClockMap& clocks() const { return scan_.clocks; }
  // Empty for a trace of one host.
  std::optional<std::uint64_t> clock_error_ns(std::uint64_t tsc) const {
    if (!report_.host_clocks.has_several() || scan_.segment->host.empty()) return std::nullopt;
    return scan_.clocks.error_ns(tsc);
  }
  const ReadWindow& window() const { return window_; }
  SectionCatalog& catalog() { return catalog_; }

  // Reads one block without a walk.
  bool read_at(std::uint64_t offset, Block& block) { return blocks_.read_at(offset, block); }
  // Takes the entries of a DICTIONARY or STREAM block; ignores others.
  void take_metadata(const Block& block);
  void add_clock(const ClockPoint& point);
  void take_call_costs(const Block& block);
  // Replaces what the index says by what the blocks' headers say.
  void rescan();
  // Extends the section to the present end of the file.
  void grow();

  void note(std::uint64_t offset, std::string what, std::string remedy);

 private:
  std::shared_ptr<TraceFile> file_;
  SectionScan scan_;
  const ReadOptions& options_;
  ReadReport& report_;
  ReadWindow window_;
  BlockReader blocks_;
  SectionCatalog catalog_;
};

}  // namespace ringside::trace
