#pragma once
// Sends a live trace to a receiver as it grows.

#include <cstdint>
#include <functional>
#include <vector>

#include "tools/interop/conversion.hpp"
#include "tools/interop/diagnostic_sink.hpp"
#include "trace-format/reader/trace_follower.hpp"

namespace ringside::tool {

struct ForwardResult {
  std::uint64_t records = 0;   // that were chosen
  std::uint64_t unsent = 0;    // at the end, because the receiver was not there
  std::uint64_t doubtful = 0;  // sent, but possibly lost
  bool any_sent = false;
  int sink_error = 0;  // errno of a failed sink
  std::vector<interop::Diagnostic> diagnostics;
};

// Encoded records that wait for the receiver, at most about this much. Further ones wait in the
// files of the trace: a receiver that is slow or away costs no memory, and nothing as long as the
// files are not removed.
inline constexpr std::size_t kMostForwardQueueBytes = std::size_t{1} << 20;
// After `stop`, a receiver that takes nothing for this time is abandoned.
inline constexpr int kMostFarewellMs = 5000;

// Whether the format and the output permit it; false with `*why`.
bool can_forward(const ConversionOptions& options, std::string* why);

// Sends the chosen events until `stop` returns true or `choice.most` events are sent, and then what
// exists. `stop` is called several times a second and after a signal. `sink` gets the output if
// options.output names no address. A connection that ends is made again, with back-off; each new
// connection is a stream that can be read alone.
ForwardResult forward_trace(trace::TraceFollower& follower, const EventChoice& choice,
                            const ConversionOptions& options, const OutputBytes::Sink& sink,
                            const std::function<bool()>& stop, const DiagnosticSink& report_now);

}  // namespace ringside::tool
