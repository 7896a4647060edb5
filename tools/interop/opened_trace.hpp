#pragma once
// A trace of any format whose events can be read.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/interop/foreign_inputs.hpp"
#include "tools/interop/include/ringside-interop/trace.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool {

struct OpenedTrace {
  std::vector<std::string> paths;
  ForeignInputs inputs;
  std::optional<trace::TraceSet> events;  // reads files that `inputs` keeps
};

// As interop::open_trace() describes it; null on failure.
std::unique_ptr<OpenedTrace> open_inputs(std::span<const std::string> paths,
                                         interop::OpenOptions options,
                                         std::vector<interop::Diagnostic>* diagnostics);

}  // namespace ringside::tool
