#pragma once
// What a trace tells about the end of each process: its crash, and what its threads did last.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/crash/crash_record.hpp"
#include "tools/crash/section_ends.hpp"
#include "trace-format/lines/line_clocks.hpp"
#include "trace-format/lines/line_format.hpp"
#include "trace-format/reader/open_spans.hpp"

namespace ringside::tool {

struct ThreadStory {
  std::uint32_t thread_id = 0;
  std::string name;
  std::uint64_t last_ns = 0;
  std::deque<std::string> last_records;  // lines, oldest first
};

struct SpanEnd {
  std::uint64_t tsc = 0;
  std::string line;
};

// A span with two records whose end is missing.
struct UnendedSpan {
  std::uint64_t stream = 0;
  std::uint64_t begin_ns = 0;
  std::string line;
};

enum class ProcessEnd : std::uint8_t {
  crashed,
  exited,
  killed,        // with the handlers of crashes, and without a record of its end
  unknown,       // without these handlers
  running,       // its trace is still being written
  not_in_trace,  // the trace ends before the process
};

struct ProcessStory {
  std::string service;
  std::string executable;
  std::string host;
  std::uint32_t pid = 0;
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;
  bool has_handlers = false;  // of crashes
  bool has_exited = false;
  std::optional<TraceEnd> trace_end;
  std::vector<CrashRecord> crashes;  // more than one if the service recovered
  std::vector<MappedCode> modules;   // in the order of records: a later one replaces earlier ones
  std::map<std::uint64_t, ThreadStory> threads;     // by stream
  std::vector<SpanEnd> last_spans;                  // oldest first
  std::map<std::uint64_t, UnendedSpan> open_spans;  // by id
  std::uint64_t lost = 0;                           // records

  // Those of a thread, outermost first.
  std::vector<const UnendedSpan*> open_spans_of(std::uint64_t stream) const;

  ProcessEnd end() const;
};

// One sentence: how the process ended, or why that is not known.
std::string_view end_text(const ProcessStory& story);
// "crashed", "exited", "killed", "unknown", "running", "not_in_trace".
std::string_view end_token(ProcessEnd end);

// Collects the stories of all processes of a trace. Not thread-safe. Memory is bounded by the
// number of threads times the kept lines, and by the open spans.
class StoryCollection {
 public:
  // `format` makes the lines, and must outlive this object.
  // `open_spans`: of the same traces, likewise.
  StoryCollection(const trace::LineFormat& format, std::size_t last, bool utc,
                  const trace::OpenSpans& open_spans);

  // For ReadOptions::site: a dictionary names the statement, whether it was executed or not.
  void add_site(const trace::Site& site, const trace::SegmentInfo& segment);
  // In the order of time.
  void add(const trace::Event& event);
  void add_ends(const std::map<SegmentUuid, TraceEnd>& ends);

  // In the order of their first records.
  std::vector<const ProcessStory*> stories() const;

 private:
  ProcessStory& story_of(const trace::SegmentInfo& segment);
  std::string line_of(const trace::Event& event);
  void add_span(ProcessStory& story, const trace::Event& event, const std::string& line);

  std::size_t last_;
  const trace::OpenSpans& open_spans_;
  trace::LineTexts texts_;
  trace::LineClocks clocks_;
  trace::TextSink sink_;
  std::map<SegmentUuid, ProcessStory> stories_;
};

}  // namespace ringside::tool
