#include "tools/crash/process_story.hpp"

#include <algorithm>

#include "tools/crash/recorded_modules.hpp"
#include "trace-format/lines/line_event.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kMostCrashes = 100;

bool ends_earlier(const SpanEnd& one, const SpanEnd& other) {
  return one.tsc < other.tsc;
}

}  // namespace

ProcessEnd ProcessStory::end() const {
  if (has_exited) return ProcessEnd::exited;
  if (!crashes.empty()) return ProcessEnd::crashed;
  if (trace_end == TraceEnd::kWritten) return ProcessEnd::running;
  if (trace_end != TraceEnd::kServiceEnded) return ProcessEnd::not_in_trace;
  return has_handlers ? ProcessEnd::killed : ProcessEnd::unknown;
}

std::string_view end_text(const ProcessStory& story) {
  switch (story.end()) {
    case ProcessEnd::crashed:
      return "crashed";
    case ProcessEnd::exited:
      return story.crashes.empty() ? "ended by exit(), or by a return from main"
                                   : "recovered from a crash, and ended by exit()";
    case ProcessEnd::killed:
      return "ended without a crash record and without ringside.exit: by SIGKILL (for instance "
             "because memory ran out: see the kernel's log), by a signal without a handler such as "
             "SIGTERM, by _exit(), or by exit() while ringside.exit (NOTICE) was disabled";
    case ProcessEnd::unknown:
      return "ended; its handlers of crashes were not installed (install_crash_handler()), so the "
             "trace does not show how";
    case ProcessEnd::running:
      return "is still being traced";
    case ProcessEnd::not_in_trace:
      break;
  }
  if (!story.trace_end) return "the file does not show how its trace ends";
  switch (*story.trace_end) {
    case TraceEnd::kConsumerEnded:
      return "its trace ends here because consumerd ended; the process may have continued";
    case TraceEnd::kRotated:
      return "its trace continues in another file, which is missing here";
    case TraceEnd::kCut:
      return "a tool has cut its trace; the end is missing here";
    default:
      return "its trace has no end: consumerd was killed, or the file is truncated";
  }
}

std::string_view end_token(ProcessEnd end) {
  switch (end) {
    case ProcessEnd::crashed:
      return "crashed";
    case ProcessEnd::exited:
      return "exited";
    case ProcessEnd::killed:
      return "killed";
    case ProcessEnd::unknown:
      return "unknown";
    case ProcessEnd::running:
      return "running";
    case ProcessEnd::not_in_trace:
      break;
  }
  return "not_in_trace";
}

std::vector<const UnendedSpan*> ProcessStory::open_spans_of(std::uint64_t stream) const {
  std::vector<const UnendedSpan*> spans;
  for (const auto& [id, span] : open_spans) {
    if (span.stream == stream) spans.push_back(&span);
  }
  // Ids of a thread rise.
  std::stable_sort(spans.begin(), spans.end(),
                   [](const UnendedSpan* one, const UnendedSpan* other) {
                     return one->begin_ns < other->begin_ns;
                   });
  return spans;
}

StoryCollection::StoryCollection(const trace::LineFormat& format, std::size_t last, bool utc,
                                 const trace::OpenSpans& open_spans)
    : last_(last), open_spans_(open_spans), texts_(format), clocks_(utc) {}

ProcessStory& StoryCollection::story_of(const trace::SegmentInfo& segment) {
  const auto [found, is_new] = stories_.try_emplace(segment.uuid);
  ProcessStory& story = found->second;
  if (is_new) {
    story.service = segment.service;
    story.executable = segment.executable;
    story.host = segment.host;
    story.pid = segment.pid;
    story.first_ns = segment.start_realtime_ns;
  }
  return story;
}

void StoryCollection::add_site(const trace::Site& site, const trace::SegmentInfo& segment) {
  ProcessStory& story = story_of(segment);
  if (is_library_event(site, kCrashEvent)) story.has_handlers = true;
}

std::string StoryCollection::line_of(const trace::Event& event) {
  sink_.clear();
  texts_.of(event)->append(sink_, trace::LineEvent::of(event), clocks_);
  std::string line(sink_.text());
  while (!line.empty() && line.back() == '\n') line.pop_back();
  return line;
}

void StoryCollection::add_span(ProcessStory& story, const trace::Event& event,
                               const std::string& line) {
  SpanEnd span{trace::head_tsc(event.record.tsc, event.record), line};
  auto& spans = story.last_spans;
  spans.insert(std::upper_bound(spans.begin(), spans.end(), span, ends_earlier), std::move(span));
  if (spans.size() > last_) spans.erase(spans.begin());
}

void StoryCollection::add(const trace::Event& event) {
  if (event.segment == nullptr || event.kind == trace::EventKind::kSiteLoss) return;
  ProcessStory& story = story_of(*event.segment);
  story.last_ns = std::max(story.last_ns, event.unix_ns);
  const bool is_record = event.kind == trace::EventKind::kRecord && event.record.site != nullptr;
  if (is_record && is_library_event(*event.record.site, kModuleEvent)) {
    add_module(story.modules, read_module(event.record));
    return;
  }
  if (is_record && is_library_event(*event.record.site, kCrashEvent)) {
    if (story.crashes.size() < kMostCrashes) story.crashes.push_back(read_crash(event));
    story.has_exited = false;  // static objects are destroyed after the record of the exit
    return;
  }
  if (is_record && is_library_event(*event.record.site, kExitEvent)) {
    story.has_exited = true;
    return;
  }
  if (event.kind == trace::EventKind::kLoss) story.lost += event.lost;
  if (event.stream == nullptr) return;
  const bool is_begin = trace::is_span_begin(event);
  const bool is_open = is_begin && open_spans_.contains(event);
  if (!is_open && last_ == 0) return;
  ThreadStory& thread = story.threads[event.stream->id];
  thread.thread_id = event.stream->thread_id;
  thread.name = event.stream->thread_name;
  thread.last_ns = event.unix_ns;
  thread.last_records.push_back(line_of(event));
  if (is_open) {
    story.open_spans[*trace::span_id(event)] = {event.stream->id, event.unix_ns,
                                                thread.last_records.back()};
  } else if (is_record && !is_begin && event.record.site->kind == shm::SiteKind::kSpan) {
    add_span(story, event, thread.last_records.back());
  }
  if (thread.last_records.size() > last_) thread.last_records.pop_front();
}

void StoryCollection::add_ends(const std::map<SegmentUuid, TraceEnd>& ends) {
  for (auto& [uuid, story] : stories_) {
    const auto found = ends.find(uuid);
    if (found != ends.end()) story.trace_end = found->second;
  }
}

std::vector<const ProcessStory*> StoryCollection::stories() const {
  std::vector<const ProcessStory*> all;
  for (const auto& [uuid, story] : stories_) all.push_back(&story);
  std::stable_sort(all.begin(), all.end(), [](const ProcessStory* one, const ProcessStory* other) {
    return one->first_ns < other->first_ns;
  });
  return all;
}

}  // namespace ringside::tool
