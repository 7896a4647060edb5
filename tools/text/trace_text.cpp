#include "tools/text/trace_text.hpp"

#include <string>
#include <utility>

#include "tools/text/event_pick.hpp"
#include "tools/text/last_lines.hpp"
#include "tools/text/parallel_lines.hpp"
#include "tools/text/time_argument.hpp"
#include "trace-format/lines/line_clocks.hpp"
#include "trace-format/lines/line_event.hpp"
#include "trace-format/lines/line_text.hpp"
#include "trace-format/lines/text_lines.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kPieceBytes = 256U << 10;
constexpr int kWaitMs = 250;

using Write = std::function<bool(std::string_view)>;

const trace::LineFormat& format_of(const TraceTextOptions& options) {
  static const trace::TextLines text_lines;
  return options.format == nullptr ? text_lines : *options.format;
}

}  // namespace

// Makes lines in the reading thread.
class EventLines {
 public:
  explicit EventLines(const TraceTextOptions& options)
      : pick_(options), texts_(format_of(options)), clocks_(options.utc) {}

  // Writes all events that `source` has now.
  template <class Source>
  bool write_all(Source& source, const Write& write) {
    while (pick_.next(source, event_)) {
      append();
      if (out_.size() < kPieceBytes) continue;
      if (!write(out_.text())) return false;
      out_.clear();
    }
    const bool written = out_.size() == 0 || write(out_.text());
    out_.clear();
    return written;
  }

  // Adds the lines of all events that `set` has.
  void add_all(trace::TraceSet& set, LastLines& last) {
    while (pick_.next(set, event_)) {
      out_.clear();
      append();
      last.add(out_.text());
    }
    out_.clear();
  }

  // Writes the last of all events that existed at `start_ns`. Files that are still written delay
  // the events of others for moments: such a pause is not the end of the existing events.
  bool write_last_before(trace::TraceFollower& follower, std::size_t count, std::uint64_t start_ns,
                         const std::function<bool()>& stop, const Write& write) {
    LastLines last(count);
    bool is_past_start = false;
    for (;;) {
      while (!is_past_start && pick_.next(follower, event_)) {
        out_.clear();
        append();
        last.add(out_.text());
        is_past_start = event_.unix_ns >= start_ns;
      }
      if (is_past_start || !follower.is_holding_back() || stop()) break;
      follower.wait(kWaitMs);
    }
    out_.clear();
    return last.write(write);
  }

  bool is_done() const { return pick_.is_done(); }

 private:
  void append() { texts_.of(event_)->append(out_, trace::LineEvent::of(event_), clocks_); }

  EventPick pick_;
  trace::LineTexts texts_;
  trace::LineClocks clocks_;
  trace::TextSink out_;
  trace::Event event_;
};

namespace {

bool write_header(const TraceTextOptions& options, const Write& write) {
  const std::string header = format_of(options).header();
  return header.empty() || write(header);
}

bool write_by_several(trace::TraceSet& set, const TraceTextOptions& options, const Write& write) {
  EventPick pick(options);
  trace::LineTexts texts(format_of(options));
  ParallelLines lines(options.threads - 1, options.utc, write);
  trace::Event event;
  while (pick.next(set, event)) {
    if (!lines.add(event, texts.of(event))) break;
  }
  return lines.finish();
}

}  // namespace

bool write_trace_text(trace::TraceSet& set, const TraceTextOptions& options, const Write& write) {
  if (!write_header(options, write)) return false;
  if (options.last) {
    LastLines last(*options.last);
    EventLines(options).add_all(set, last);
    return last.write(write);
  }
  return options.threads > 1 ? write_by_several(set, options, write)
                             : EventLines(options).write_all(set, write);
}

std::optional<std::string> last_lines_of_end(trace::TraceSet& set,
                                             const TraceTextOptions& options) {
  LastLines last(*options.last);
  EventLines(options).add_all(set, last);
  if (!set.has_all() && (!last.is_full() || !set.is_end_of_all())) return std::nullopt;
  std::string text;
  const auto append = [&text](std::string_view piece) {
    text += piece;
    return true;
  };
  write_header(options, append);
  last.write(append);
  return text;
}

struct GrowingText::Impl {
  const TraceTextOptions& options;
  Write write;
  EventLines lines{options};
  bool begun = false;
  bool writes = true;
};

GrowingText::GrowingText(const TraceTextOptions& options, Write write)
    : impl_(new Impl{.options = options, .write = std::move(write)}) {}

GrowingText::~GrowingText() = default;

bool GrowingText::write_available(trace::TraceFollower& follower) {
  Impl& impl = *impl_;
  if (!std::exchange(impl.begun, true)) impl.writes = write_header(impl.options, impl.write);
  impl.writes = impl.writes && impl.lines.write_all(follower, impl.write);
  return impl.writes;
}

bool GrowingText::is_done() const {
  return impl_->lines.is_done();
}

bool follow_trace_text(trace::TraceFollower& follower, const TraceTextOptions& options,
                       const std::function<bool()>& stop, const Write& write) {
  if (!write_header(options, write)) return false;
  EventLines lines(options);
  if (options.last &&
      !lines.write_last_before(follower, *options.last, unix_ns_now(), stop, write)) {
    return false;
  }
  while (!lines.is_done() && !stop()) {
    if (!lines.write_all(follower, write)) return false;
    if (!lines.is_done()) follower.wait(kWaitMs);
  }
  follower.finish();
  return lines.write_all(follower, write);
}

}  // namespace ringside::tool
