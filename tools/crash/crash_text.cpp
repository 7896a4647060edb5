// What happened to a process, for a person.
#include <string>

#include <fmt/format.h>

#include "tools/crash/crash_report.hpp"
#include "tools/crash/stack_text.hpp"
#include "tools/symbols/demangled_name.hpp"
#include "trace-format/lines/visible_text.hpp"
#include "trace-format/lines/wall_clock_text.hpp"

namespace ringside::tool {
namespace {

using trace::visible;

std::string time_text(std::uint64_t unix_ns, bool utc) {
  trace::TextSink sink;
  trace::WallClockText(utc).append(sink, unix_ns);
  std::string text(sink.text());
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string thread_text(std::uint32_t id, const std::string& name) {
  return name.empty() ? fmt::format("{}", id) : fmt::format("{} {}", id, visible(name));
}

void append_crash(const ProcessStory& story, const CrashRecord& crash, Symboliser& symboliser,
                  bool utc, std::string* out) {
  *out += fmt::format("  {} {} in thread {}", time_text(crash.unix_ns, utc),
                      visible(crash.signal_name), thread_text(crash.thread_id, crash.thread_name));
  if (!crash.reason.empty()) *out += fmt::format(": {}", visible(crash.reason));
  if (crash.sender_pid != 0) *out += fmt::format(" by process {}", crash.sender_pid);
  *out += "\n";
  if (!crash.exception.empty()) {
    *out += fmt::format("  exception {}", visible(demangled_type(crash.exception)));
    if (!crash.what.empty()) *out += ": " + visible(crash.what);
    *out += "\n";
  }
  *out += fmt::format("  address {:#x}, code {}, pc {:#x}, sp {:#x}, fp {:#x}\n", crash.address,
                      crash.code, crash.pc, crash.sp, crash.fp);
  *out += "  stack:\n" + stack_as_text(crash.stack, true, story.modules, symboliser);
  if (crash.is_stack_cut) *out += "       further callers were not recorded\n";
}

// Each within the one before, as far as they nest.
void append_open_spans(const ProcessStory& story, std::uint64_t stream, const ThreadStory& thread,
                       std::string* out) {
  const auto spans = story.open_spans_of(stream);
  if (spans.empty()) return;
  *out += fmt::format("  open spans of thread {}:\n", thread_text(thread.thread_id, thread.name));
  for (std::size_t i = 0; i < spans.size(); ++i) {
    *out += std::string(4 + 2 * i, ' ') + spans[i]->line + "\n";
  }
  if (story.lost == 0) return;
  *out += fmt::format("    some may have ended: {} records of the process were lost\n", story.lost);
}

}  // namespace

std::string crash_as_text(const ProcessStory& story, Symboliser& symboliser, bool utc) {
  std::string out = fmt::format("{} {}", visible(story.service), story.pid);
  if (!story.host.empty()) out += fmt::format(" on {}", visible(story.host));
  out += fmt::format(": {}\n", end_text(story));
  for (const CrashRecord& crash : story.crashes) append_crash(story, crash, symboliser, utc, &out);
  for (const auto& [stream, thread] : story.threads) {
    out +=
        fmt::format("  last records of thread {}:\n", thread_text(thread.thread_id, thread.name));
    for (const std::string& line : thread.last_records) out += "    " + line + "\n";
    append_open_spans(story, stream, thread, &out);
  }
  if (!story.last_spans.empty()) {
    out += "  spans that ended last:\n";
    for (const SpanEnd& span : story.last_spans) out += "    " + span.line + "\n";
  }
  return out;
}

}  // namespace ringside::tool
