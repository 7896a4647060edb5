#include "tools/interop/ctf/ctf_import.hpp"

#include <deque>
#include <memory>
#include <utility>

#include "tools/interop/ctf/ctf_session.hpp"
#include "tools/interop/ctf/ctf_trace.hpp"
#include "tools/interop/ctf/ctf_trace_import.hpp"

namespace ringside::tool {
namespace ctf {
namespace {

struct OpenTrace {
  Trace trace;
  ReadOutcome outcome;  // of opening it
  std::unique_ptr<TraceImport> import;
  std::string path;  // below the session's directory
};

// Reads packets in order of their begins, so that written records need not be remembered for long.
void read_merged(std::deque<OpenTrace>& traces, TraceBuilder& builder) {
  for (;;) {
    OpenTrace* first = nullptr;
    std::uint64_t begin = 0;
    for (OpenTrace& trace : traces) {
      const auto next = trace.import->next_begin_ns();
      if (!next || (first != nullptr && *next >= begin)) continue;
      first = &trace;
      begin = *next;
    }
    if (first == nullptr) return;
    builder.settle(begin);
    first->import->read_next();
  }
}

}  // namespace
}  // namespace ctf

bool recognise_ctf(const std::string& path) {
  return ctf::is_trace(path) || ctf::is_session(path);
}

ReadOutcome read_ctf(const std::string& path, TraceBuilder& builder, ConversionReport& report) {
  ctf::ImportContext context{.builder = builder, .report = report, .room = {}, .window = {}};
  std::deque<ctf::OpenTrace> traces;
  const ctf::TraceSources sources = ctf::sources_of(path);
  ReadOutcome outcome;
  for (const std::string& name : sources.paths) {
    ctf::OpenTrace& opened = traces.emplace_back();
    opened.path = name;
    opened.outcome = opened.trace.open(ctf::place_of(path, name));
    if (opened.outcome.end == ReadEnd::kRefused) {
      ctf::add_outcome(std::move(opened.outcome), name, outcome);
      traces.pop_back();
      continue;
    }
    opened.import = std::make_unique<ctf::TraceImport>(opened.trace, context);
  }
  if (traces.empty()) return ReadOutcome::refused(outcome.offset, outcome.message);
  ctf::read_merged(traces, builder);
  for (ctf::OpenTrace& trace : traces) {
    trace.import->end();
    ReadOutcome& read = trace.import->outcome();
    // Damage of the trace's packets takes precedence over the damage that followed from it.
    if (trace.outcome.end != ReadEnd::kWhole) read.end = ReadEnd::kWhole;
    ctf::add_outcome(std::move(read), trace.path, outcome);
    ctf::add_outcome(std::move(trace.outcome), trace.path, outcome);
  }
  ctf::add_left_out(sources, outcome);
  return outcome;
}

}  // namespace ringside::tool
