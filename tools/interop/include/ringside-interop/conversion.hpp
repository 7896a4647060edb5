// Writes traces in another format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "diagnostic.hpp"
#include "trace-format/reader/read_options.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::interop {

struct ConvertOptions {
  // The format to write, by the name that `ringcat --to` has for it.
  std::string to;
  // The format of all inputs; empty: recognised by the contents of each input.
  std::string from;
  bool replace = false;  // an existing file

  // The events to write: those that `read` selects and `wanted` accepts (empty: all), at most
  // `most_events`.
  trace::ReadOptions read;
  std::function<bool(const trace::Event& event)> wanted;
  std::uint64_t most_events = std::numeric_limits<std::uint64_t>::max();

  // For a conversion without a path as output: takes all of `bytes`, or returns false with errno.
  std::function<bool(std::span<const std::byte> bytes)> sink;
};

struct Conversion {
  bool written = false;  // the output is complete
  std::uint64_t events = 0;
  // What is damaged, unusual or not carried over; if the output is not written, also the reason.
  std::vector<Diagnostic> diagnostics;
};

// Reads `inputs` as open_trace() does and writes `output`: a path, or tcp://HOST:PORT of a receiver
// that listens; empty or "-": options.sink. A file appears complete or not at all. Prints nothing.
Conversion convert(std::span<const std::string> inputs, const std::string& output,
                   const ConvertOptions& options);

}  // namespace ringside::interop
