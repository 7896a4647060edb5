#include "tools/trace_text.hpp"

#include "tools/line_text.hpp"
#include "tools/parallel_lines.hpp"
#include "tools/wall_clock_text.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kPieceBytes = 256U << 10;

bool write_by_one(trace::TraceSet& set, const TraceTextOptions& options,
                  const std::function<bool(std::string_view)>& write) {
  LineTexts texts;
  WallClockText clock(options.utc);
  trace::TextSink out;
  trace::Event event;
  while (set.next(event)) {
    if (options.wanted && !options.wanted(event)) continue;
    clock.append(out, event.unix_ns);
    texts.of(event)->append(out, event.record.args, event.record.cut);
    if (out.size() < kPieceBytes) continue;
    if (!write(out.text())) return false;
    out.clear();
  }
  return write(out.text());
}

bool write_by_several(trace::TraceSet& set, const TraceTextOptions& options,
                      const std::function<bool(std::string_view)>& write) {
  LineTexts texts;
  ParallelLines lines(options.threads - 1, options.utc, write);
  trace::Event event;
  while (set.next(event)) {
    if (options.wanted && !options.wanted(event)) continue;
    if (!lines.add(event, texts.of(event))) break;
  }
  return lines.finish();
}

}  // namespace

bool write_trace_text(trace::TraceSet& set, const TraceTextOptions& options,
                      const std::function<bool(std::string_view)>& write) {
  return options.threads > 1 ? write_by_several(set, options, write)
                             : write_by_one(set, options, write);
}

}  // namespace ringside::tool
