// The same for programs.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/crash/crash_report.hpp"
#include "tools/crash/stack_text.hpp"
#include "tools/symbols/demangled_name.hpp"
#include "trace-format/lines/wall_clock_text.hpp"

namespace ringside::tool {
namespace {

using nlohmann::ordered_json;

std::string rfc3339_time(std::uint64_t unix_ns) {
  trace::TextSink sink;
  trace::WallClockText(true, 'T').append(sink, unix_ns);
  std::string text(sink.text());
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "Z";
}

std::string address_text(std::uint64_t address) {
  return fmt::format("{:#x}", address);
}

ordered_json frame_json(const ProcessStory& story, const CrashRecord& crash, std::size_t index,
                        Symboliser& symboliser) {
  ordered_json frame{{"address", address_text(crash.stack[index])}};
  const std::uint64_t address = instruction_of(crash.stack, index, true);
  const MappedCode* const code = module_of(story.modules, address);
  if (code == nullptr) return frame;
  frame["module"] = code->path;
  frame["build_id"] = code->build_id;
  frame["offset"] =
      address_text(code->base != 0 ? address - code->base : address - code->begin + code->offset);
  for (const CodePlace& place : symboliser.places_of(*code, address)) {
    frame["functions"].push_back({{"name", place.function},
                                  {"file", place.file},
                                  {"line", place.line},
                                  {"inlined", place.is_inlined}});
  }
  return frame;
}

ordered_json crash_json(const ProcessStory& story, const CrashRecord& crash,
                        Symboliser& symboliser) {
  ordered_json object{{"time", rfc3339_time(crash.unix_ns)},
                      {"unix_ns", crash.unix_ns},
                      {"thread", {{"id", crash.thread_id}, {"name", crash.thread_name}}},
                      {"signal", crash.signal},
                      {"signal_name", crash.signal_name},
                      {"code", crash.code},
                      {"reason", crash.reason},
                      {"address", address_text(crash.address)},
                      {"sender_pid", crash.sender_pid},
                      {"pc", address_text(crash.pc)},
                      {"sp", address_text(crash.sp)},
                      {"fp", address_text(crash.fp)}};
  if (!crash.exception.empty()) {
    object["exception"] = demangled_type(crash.exception);
    object["what"] = crash.what;
  }
  object["stack"] = ordered_json::array();
  for (std::size_t i = 0; i < crash.stack.size(); ++i) {
    object["stack"].push_back(frame_json(story, crash, i, symboliser));
  }
  object["stack_cut"] = crash.is_stack_cut;
  return object;
}

ordered_json record_json(const std::string& line) {
  return ordered_json::parse(line, nullptr, false);
}

}  // namespace

std::string crash_as_json(const ProcessStory& story, Symboliser& symboliser) {
  ordered_json object{{"service", story.service}, {"pid", story.pid}};
  if (!story.host.empty()) object["host"] = story.host;
  object["end"] = end_token(story.end());
  object["explanation"] = end_text(story);
  object["crashes"] = ordered_json::array();
  for (const CrashRecord& crash : story.crashes) {
    object["crashes"].push_back(crash_json(story, crash, symboliser));
  }
  object["threads"] = ordered_json::array();
  for (const auto& [stream, thread] : story.threads) {
    ordered_json one{{"id", thread.thread_id}, {"name", thread.name}};
    one["last_records"] = ordered_json::array();
    for (const std::string& line : thread.last_records) {
      one["last_records"].push_back(record_json(line));
    }
    one["open_spans"] = ordered_json::array();
    for (const UnendedSpan* span : story.open_spans_of(stream)) {
      one["open_spans"].push_back(record_json(span->line));
    }
    object["threads"].push_back(std::move(one));
  }
  object["lost"] = story.lost;
  object["last_spans"] = ordered_json::array();
  for (const SpanEnd& span : story.last_spans) {
    object["last_spans"].push_back(record_json(span.line));
  }
  // Names come from services and need not be UTF-8.
  return object.dump(-1, ' ', true, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ringside::tool
