// `ringcat inspect` of Chrome's trace events.

#include <iterator>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "tools/interop/digested_input.hpp"
#include "tools/interop/json/chrome_format.hpp"
#include "tools/interop/json/chrome_reader.hpp"
#include "tools/interop/json/json_decimal.hpp"
#include "trace-format/lines/json_text.hpp"

namespace ringside::tool {
namespace chrome {
namespace {

// Threads beyond this number are counted but not listed.
constexpr std::size_t kMostInspectedThreads = 100'000;

std::string_view inspected_text(const JsonNode* node) {
  return node == nullptr ? std::string_view() : node->text;
}

std::string csv_cell(std::string_view text) {
  std::string cell = "\"";
  for (const char character : text) cell += character == '"' ? "\"\"" : std::string(1, character);
  return cell += '"';
}

class Inspection {
 public:
  Inspection(InputBytes& input, InspectStyle style, OutputBytes& output)
      : digest_(input), reader_(digest_.bytes()), style_(style), output_(output) {}

  ReadOutcome run(const std::string& name) {
    Step step = reader_.next();
    if (step == Step::kRefused) return ReadOutcome::refused(reader_.offset(), reader_.why());
    if (style_ == InspectStyle::kCsv) output_.put("offset,ph,pid,tid,ts,dur,cat,name\n");
    for (; step == Step::kEvent; step = reader_.next()) take(reader_.event());
    ReadOutcome outcome;
    if (step == Step::kDamaged) outcome = ReadOutcome::damaged(reader_.offset(), reader_.why());
    digest_.finish();
    if (style_ == InspectStyle::kJson) put_document(name, outcome);
    if (style_ == InspectStyle::kText) put_summary();
    return outcome;
  }

 private:
  struct Thread {
    std::string name;
    std::uint64_t events = 0;
  };

  void take(const TraceEvent& event) {
    ++events_;
    ++phases_[event.phase];
    const bool is_metadata = event.phase == 'M';
    if (const auto ns = event.time == nullptr ? std::nullopt : scaled_decimal(*event.time, 3);
        ns && !is_metadata) {
      first_ns_ = has_times_ ? std::min(first_ns_, *ns) : *ns;
      last_ns_ = has_times_ ? std::max(last_ns_, *ns) : *ns;
      has_times_ = true;
    }
    if (style_ == InspectStyle::kCsv) return put_line(event);
    const std::pair key(std::string(inspected_text(event.pid)),
                        std::string(inspected_text(event.tid)));
    auto found = threads_.find(key);
    if (found == threads_.end() && threads_.size() < kMostInspectedThreads) {
      found = threads_.try_emplace(key).first;
    }
    if (found == threads_.end()) {
      ++in_other_threads_;
    } else if (is_metadata) {
      take_name(event, found->second);
    } else {
      ++found->second.events;
    }
  }

  void take_name(const TraceEvent& event, Thread& thread) {
    const std::string_view what = inspected_text(event.name);
    if (!event.args || (what != "thread_name" && what != "process_name")) return;
    reader_.tree().for_each_in(*event.args, [&](std::uint32_t i) {
      const JsonNode& node = reader_.tree().nodes()[i];
      if (node.key != "name" || !node.is_text()) return;
      if (what == "thread_name") {
        thread.name = node.text;
      } else {
        processes_[std::string(inspected_text(event.pid))] = node.text;
      }
    });
  }

  void put_line(const TraceEvent& event) {
    std::string line = fmt::format("{},{}", event.offset, csv_cell({&event.phase, 1}));
    for (const JsonNode* node :
         {event.pid, event.tid, event.time, event.duration, event.category, event.name}) {
      line += ',';
      if (node == nullptr) continue;
      line += node->is_integer() || node->kind == JsonKind::kFloating ? std::string(node->text)
                                                                      : csv_cell(node->text);
    }
    output_.put(line += '\n');
  }

  static std::string phase_text(char phase) {
    return phase == '\0' ? std::string() : std::string(1, phase);
  }

  void put_document(const std::string& name, const ReadOutcome& outcome) {
    std::string out;
    const auto add = [&out]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
      fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
    };
    add("{{\n \"schema\": \"chrome-1\",\n \"file\": {},\n \"size\": {},\n \"sha256\": \"{}\",\n",
        trace::quoted_json_text(DigestedInput::file_name(name)), digest_.size(), digest_.sha256());
    add(" \"form\": \"{}\",\n \"closed\": {},\n", reader_.is_object() ? "object" : "array",
        reader_.is_closed());
    add(" \"producer\": {},\n \"base_unix_ns\": {},\n", reader_.is_own() ? "\"ringside\"" : "null",
        reader_.base_unix_ns());
    if (has_times_) {
      add(" \"first_ns\": {},\n \"last_ns\": {},\n", first_ns_, last_ns_);
    } else {
      out += " \"first_ns\": null,\n \"last_ns\": null,\n";
    }
    add(" \"counts\": {{\"events\": {}, \"phases\": {{", events_);
    const char* separator = "";
    for (const auto& [phase, count] : phases_) {
      add("{}{}: {}", separator, trace::quoted_json_text(phase_text(phase)), count);
      separator = ", ";
    }
    out += "}},\n \"members\": [";
    separator = "";
    for (const std::string& member : reader_.members()) {
      add("{}{}", separator, trace::quoted_json_text(member));
      separator = ", ";
    }
    out += "],\n \"processes\": {";
    separator = "";
    for (const auto& [pid, process] : processes_) {
      add("{}\n  {}: {}", separator, trace::quoted_json_text(pid),
          trace::quoted_json_text(process));
      separator = ",";
    }
    out += "},\n \"threads\": [";
    separator = "";
    for (const auto& [key, thread] : threads_) {
      add("{}\n  {{\"pid\": {}, \"tid\": {}, \"name\": {}, \"events\": {}}}", separator,
          trace::quoted_json_text(key.first), trace::quoted_json_text(key.second),
          trace::quoted_json_text(thread.name), thread.events);
      separator = ",";
    }
    add("],\n \"events_of_further_threads\": {},\n \"error\": ", in_other_threads_);
    if (outcome.end == ReadEnd::kWhole) {
      out += "null\n}\n";
    } else {
      add("{{\"offset\": {}, \"message\": {}}}\n}}\n", outcome.offset,
          trace::quoted_json_text(outcome.message));
    }
    output_.put(out);
  }

  void put_summary() {
    output_.put(fmt::format("{} of {} bytes, {} events\n",
                            reader_.is_object() ? "an object" : "an array", digest_.size(),
                            events_));
    for (const auto& [phase, count] : phases_) {
      output_.put(fmt::format("{:>12} of phase {}\n", count, trace::json_text(phase_text(phase))));
    }
    for (const auto& [key, thread] : threads_) {
      output_.put(fmt::format("{:>12} of process {} thread {} {}\n", thread.events,
                              trace::json_text(key.first), trace::json_text(key.second),
                              trace::json_text(thread.name)));
    }
  }

  DigestedInput digest_;
  Reader reader_;
  InspectStyle style_;
  OutputBytes& output_;
  std::uint64_t events_ = 0;
  std::uint64_t in_other_threads_ = 0;
  std::map<char, std::uint64_t> phases_;
  std::map<std::string, std::string> processes_;
  std::map<std::pair<std::string, std::string>, Thread> threads_;
  bool has_times_ = false;
  std::int64_t first_ns_ = 0;
  std::int64_t last_ns_ = 0;
};

}  // namespace
}  // namespace chrome

ReadOutcome inspect_chrome(InputBytes& input, InspectStyle style, OutputBytes& output) {
  return chrome::Inspection(input, style, output).run(input.name());
}

}  // namespace ringside::tool
