// Reads traces of every format that ringcat reads.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diagnostic.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::interop {

struct OpenOptions {
  // The format of all inputs, by the name that `ringcat --from` has for it; empty: recognised by
  // the contents of each input.
  std::string format;
  trace::ReadOptions read;
};

// The events of all inputs as one sequence in the order of time, those of the reader library
// (ringside-trace). Not thread-safe. Prints nothing.
class Trace {
 public:
  Trace(Trace&&) noexcept;
  Trace& operator=(Trace&&) noexcept;
  ~Trace();

  // The next event; false at the end. The event's views are valid until the next call.
  bool next(trace::Event& event);

  // Damage of trace files, and counts of what was read.
  const trace::ReadReport& report() const;

  // The inputs as trace files, for what reads paths, such as the queries of ringside-trace: those
  // made from other formats exist as long as this object.
  const std::vector<std::string>& paths() const;

 private:
  friend std::optional<Trace> open_trace(std::span<const std::string> paths, OpenOptions options,
                                         std::vector<Diagnostic>* diagnostics);
  struct Impl;
  explicit Trace(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Opens files and directories, of the same or of different formats; "-" is standard input. Other
// formats than Ringside's own are imported: that needs as much space in $TMPDIR (or /tmp) as a
// Ringside trace of the same records, and up to two open files for each input and process in it.
// `*diagnostics` gets what is unusual, damaged or left out. Empty with the error in it if an input
// cannot be read at all.
std::optional<Trace> open_trace(std::span<const std::string> paths, OpenOptions options,
                                std::vector<Diagnostic>* diagnostics);

}  // namespace ringside::interop
