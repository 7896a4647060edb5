// Any number of trace files as one sequence of events in the order of time.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace-format/blocks/read_report.hpp"
#include "trace-format/blocks/trace_file.hpp"
#include "trace-format/reader/read_options.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::trace {

// Not thread-safe. Memory is bounded by the data between two sequence points (of sections that are
// read in parallel, plus 32 MiB for each section in which many threads record in parallel), not by
// the files' sizes. The bytes are untrusted: damage is skipped and reported.
class TraceSet {
 public:
  // Files, packed or not, or directories: all of their *.ringtrace and *.ringtrace.zst files; if
  // both exist for one name, the unpacked one. Sections of one segment in several files (rotation)
  // belong together. Empty and `*error` if a path cannot be opened or read, or if nothing in it is
  // a Ringside trace; other damage goes to the report.
  static std::optional<TraceSet> open(std::span<const std::string> paths, ReadError* error);
  static std::optional<TraceSet> open(std::span<const std::string> paths, ReadOptions options,
                                      ReadError* error);
  static std::optional<TraceSet> open(std::vector<std::unique_ptr<TraceFile>> files,
                                      ReadOptions options, ReadError* error);

  TraceSet(TraceSet&&) noexcept;
  TraceSet& operator=(TraceSet&&) noexcept;
  ~TraceSet();

  // The next event in the order of (unix_ns, stream, sequence), or with ReadOptions::unordered
  // section by section and extent by extent; false at the end. The event's views are valid until
  // the next call.
  bool next(Event& event);

  // With ReadOptions::end_bytes, which may be larger than all files.
  bool has_all() const;
  // Whether the events so far end the sequence that a set without ReadOptions::end_bytes delivers.
  // False, because it is uncertain, if times go back, if records are missing, or if the files
  // repeat losses.
  bool is_end_of_all() const;

  const ReadReport& report() const;

 private:
  struct Impl;
  static std::optional<TraceSet> begin(std::unique_ptr<Impl> impl, ReadError* error);
  explicit TraceSet(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside::trace
