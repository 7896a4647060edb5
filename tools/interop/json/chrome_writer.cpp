#include "tools/interop/json/chrome_writer.hpp"

#include <charconv>
#include <cmath>
#include <deque>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tools/interop/event_facts.hpp"
#include "tools/interop/event_sources.hpp"
#include "tools/interop/per_site.hpp"
#include "tools/interop/uncarried_facts.hpp"
#include "tools/text/field_keys.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/json_value.hpp"
#include "tools/text/loss_text.hpp"
#include "tools/text/record_extension_text.hpp"
#include "trace-format/condition/site_message.hpp"

namespace ringside::tool {
namespace chrome {
namespace {

using trace::TextSink;

constexpr std::size_t kMostActivities = 65'536;

struct FieldFacts {
  std::string key;  // "name":
  bool is_counted = false;
};

struct SiteFacts {
  std::string head;  // ,"name":"...","cat":"..."
  std::string tail;  // ,"level":"..." and so on
  std::vector<FieldFacts> fields;
  std::optional<trace::SiteMessage> message;
  bool is_counter = false;
};

// The spans of a thread that are shown as one stack. Viewers drop spans that overlap without
// nesting.
class Stack {
 public:
  // Whether the span nests in the spans that the thread had until now; if so, it is pushed on the
  // stack. Memory: the open spans.
  bool take(std::uint64_t begin, std::uint64_t end) {
    if (begin < last_begin_) return false;
    while (!ends_.empty() && ends_.back() <= begin) ends_.pop_back();
    if (!ends_.empty() && ends_.back() < end) return false;
    last_begin_ = begin;
    ends_.push_back(end);
    return true;
  }

 private:
  std::vector<std::uint64_t> ends_;  // outermost first
  std::uint64_t last_begin_ = 0;
};

// JSON has no numbers for NaN and the infinities, and viewers sum the values of a counter.
bool is_drawable(const trace::Value& value) {
  const auto number = value.as_f64();
  return !number || std::isfinite(*number);
}

void put_number(TextSink& out, std::uint64_t number) {
  char* const begin = out.reserve(24);
  out.commit(std::to_chars(begin, begin + 24, number).ptr);
}

// Nanoseconds as microseconds.
void put_microseconds(TextSink& out, std::uint64_t ns) {
  put_number(out, ns / 1000);
  const auto rest = static_cast<unsigned>(ns % 1000);
  if (rest == 0) return;
  out.put('.');
  out.put(static_cast<char>('0' + rest / 100));
  out.put(static_cast<char>('0' + rest / 10 % 10));
  out.put(static_cast<char>('0' + rest % 10));
}

class Writer final : public TraceWriter {
 public:
  Writer(OutputBytes& output, ConversionReport& report)
      : output_(output), uncarried_(report, {}), sources_(report) {}

  void add(const trace::Event& event) override {
    if (event.kind == trace::EventKind::kSiteLoss) return;
    if (!begun_) begin(event.unix_ns);
    line_.clear();
    const auto [thread, new_process, new_name] = sources_.of(event);
    if (new_process) put_process(*thread.process);
    if (new_name && thread.is_thread) put_thread(thread);
    if (event.kind == trace::EventKind::kLoss) {
      put_loss(event, thread);
    } else {
      put_record(event, thread);
    }
    output_.put(line_.text());
  }

  void end() override {
    if (!begun_) begin(0);
    output_.put("\n]}\n");
    uncarried_.tell();
  }

 private:
  void begin(std::uint64_t unix_ns) {
    begun_ = true;
    base_ = unix_ns;
    output_.put(
        fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"producer\":\"ringside\","
                    "\"base_unix_ns\":\"{}\"}},\n\"traceEvents\":[",
                    unix_ns));
  }

  void begin_line(char phase) {
    line_.write(is_first_ ? "\n{\"ph\":\"" : ",\n{\"ph\":\"");
    is_first_ = false;
    line_.put(phase);
    line_.put('"');
  }

  void put_source(const SourceThread& thread) {
    line_.write(",\"pid\":");
    put_number(line_, thread.process->pid);
    line_.write(",\"tid\":");
    put_number(line_, thread.id);
  }

  void put_time(std::uint64_t unix_ns) {
    line_.write(",\"ts\":");
    if (unix_ns < base_) line_.put('-');
    put_microseconds(line_, unix_ns < base_ ? base_ - unix_ns : unix_ns - base_);
  }

  void put_metadata(std::string_view what, const SourceThread& thread, std::string_view name) {
    begin_line('M');
    line_.write(",\"name\":\"");
    line_.write(what);
    line_.put('"');
    put_source(thread);
    line_.write(",\"args\":{\"");
    line_.write(what == "process_labels" ? "labels" : "name");
    line_.write("\":\"");
    append_json_text(line_, name);
    line_.write("\"}}");
  }

  void put_process(const SourceProcess& process) {
    SourceThread whole;
    whole.process = &process;
    put_metadata("process_name", whole, process.segment.service);
    if (!process.segment.host.empty()) put_metadata("process_labels", whole, process.segment.host);
  }

  // Viewers treat an empty name as an error.
  void put_thread(const SourceThread& thread) {
    if (!thread.name.empty()) put_metadata("thread_name", thread, thread.name);
  }

  void put_loss(const trace::Event& event, const SourceThread& thread) {
    begin_line('i');
    line_.write(",\"name\":\"lost records\",\"cat\":\"ringside\"");
    put_source(thread);
    put_time(event.unix_ns);
    line_.write(thread.is_thread ? ",\"s\":\"t\"" : ",\"s\":\"p\"");
    line_.write(",\"args\":{\"count\":");
    put_number(line_, event.lost);
    line_.write(",\"cause\":\"");
    line_.write(loss_cause_token(event.cause));
    line_.write("\",\"ringside\":{\"seq\":");
    put_number(line_, event.record.sequence);
    line_.write("}}}");
  }

  void put_record(const trace::Event& event, const SourceThread& thread) {
    if (sites_.is_full()) sites_.clear();
    const SiteFacts& site = sites_.of(event, facts_of);
    uncarried_.look_at_texts(event);
    const bool is_span = has_duration(event);
    const bool is_counter = site.is_counter && !is_span;
    const std::uint64_t end = event.unix_ns + (is_span ? duration_ns(event) : 0);
    const bool is_beside = is_span && !stack_of(thread).take(event.unix_ns, end);
    begin_line(is_beside ? 'b' : is_span ? 'X' : is_counter ? 'C' : 'i');
    line_.write(site.head);
    put_source(thread);
    put_time(event.unix_ns);
    if (is_beside) {
      put_id(++beside_);
    } else if (is_span) {
      line_.write(",\"dur\":");
      put_microseconds(line_, end - event.unix_ns);
    } else if (!is_counter) {
      line_.write(thread.is_thread ? ",\"s\":\"t\"" : ",\"s\":\"p\"");
    }
    line_.write(",\"args\":{");
    if (is_counter) {
      // Viewers draw everything in args.
      put_fields(event, site, true, false);
      line_.write("},\"fields\":{");
      put_fields(event, site, false, true);
      line_.write("},\"ringside\":");
      put_facts(event, site);
    } else {
      put_fields(event, site, true, true);
      line_.write(site.fields.empty() ? "\"ringside\":" : ",\"ringside\":");
      put_facts(event, site);
      line_.put('}');
    }
    line_.put('}');
    if (is_beside) put_end(site, thread, end);
    if (event.record.ext_flags != 0) put_flows(event, thread);
  }

  Stack& stack_of(const SourceThread& thread) {
    if (thread.index >= stacks_.size()) stacks_.resize(thread.index + std::size_t{1});
    return stacks_[thread.index];
  }

  // Ends the span that has just been written outside its thread's stack.
  void put_end(const SiteFacts& site, const SourceThread& thread, std::uint64_t unix_ns) {
    begin_line('e');
    line_.write(site.head);
    put_source(thread);
    put_time(unix_ns);
    put_id(beside_);
    line_.put('}');
  }

  void put_id(std::uint64_t id) {
    line_.write(",\"id\":\"0x");
    char* const digits = line_.reserve(16);
    line_.commit(std::to_chars(digits, digits + 16, id, 16).ptr);
    line_.put('"');
  }

  void put_fields(const trace::Event& event, const SiteFacts& site, bool counted, bool others) {
    bool first = true;
    for (std::size_t i = 0; i < site.fields.size(); ++i) {
      const FieldFacts& field = site.fields[i];
      const bool has = i < event.record.args.size();
      const bool is_drawn = field.is_counted && has && is_drawable(event.record.args[i]);
      if (!(is_drawn ? counted : others)) continue;
      if (!first) line_.put(',');
      first = false;
      line_.write(field.key);
      if (has) {
        append_json_value(line_, event.record.args[i]);
      } else {
        line_.write("null");
      }
    }
  }

  void put_facts(const trace::Event& event, const SiteFacts& site) {
    line_.write("{\"seq\":");
    put_number(line_, event.record.sequence);
    line_.write(site.tail);
    if (site.message) {
      line_.write(",\"message\":\"");
      const std::size_t begin = line_.size();
      site.message->append(line_, event.record.args);
      make_json_text(line_, begin);
      line_.put('"');
    }
    if (event.record.ext_flags != 0 || event.record.cut) {
      RecordExtensionText(event.record, event.segment->tick_hz).append_json_members(line_);
    }
    line_.put('}');
  }

  // An activity's first record begins its flow, further records continue it, and the records that
  // it caused end it.
  void put_flows(const trace::Event& event, const SourceThread& thread) {
    if ((event.record.ext_flags & shm::kExtActivity) != 0) {
      const std::uint64_t id = flow_id(event.record.activity);
      if (activities_.size() >= kMostActivities) activities_.clear();
      put_flow(activities_.insert(id).second ? 's' : 't', id, event, thread);
    }
    if ((event.record.ext_flags & shm::kExtRelatedActivity) != 0) {
      put_flow('f', flow_id(event.record.related), event, thread);
    }
  }

  void put_flow(char phase, std::uint64_t id, const trace::Event& event,
                const SourceThread& thread) {
    begin_line(phase);
    line_.write(",\"name\":\"activity\",\"cat\":\"ringside.flow\",\"bp\":\"e\"");
    put_id(id);
    put_source(thread);
    put_time(event.unix_ns);
    line_.put('}');
  }

  static SiteFacts facts_of(const trace::Site& site) {
    SiteFacts facts;
    facts.head = fmt::format(",\"name\":{},\"cat\":{}", quoted_json_text(event_name(site)),
                             quoted_json_text(site.category));
    facts.tail = fmt::format(",\"level\":\"{}\",\"kind\":\"{}\"", shm::level_name(site.level),
                             kind_name(site.kind));
    // The facts that the shown name does not contain.
    if (site.name.empty()) facts.tail += ",\"name\":\"\"";
    if (site.format != event_name(site)) {
      facts.tail += fmt::format(",\"format\":{}", quoted_json_text(site.format));
    }
    if (site.style == static_cast<std::uint8_t>(shm::FormatStyle::brace)) {
      facts.tail += ",\"style\":\"brace\"";
    }
    if (site.keywords != 0) facts.tail += fmt::format(",\"keywords\":\"{:#x}\"", site.keywords);
    if (!site.file.empty() || !site.function.empty()) {
      facts.tail +=
          fmt::format(",\"file\":{},\"line\":{},\"function\":{}", quoted_json_text(site.file),
                      site.line, quoted_json_text(site.function));
    }
    const std::vector<std::string> keys = field_keys(site, json_text, {"ringside"});
    for (std::size_t i = 0; i < keys.size(); ++i) {
      facts.fields.push_back({'"' + keys[i] + "\":", is_counted(site, site.fields[i])});
      facts.is_counter = facts.is_counter || facts.fields.back().is_counted;
    }
    if (site.style != static_cast<std::uint8_t>(shm::FormatStyle::none)) {
      facts.message.emplace(site);
    }
    return facts;
  }

  OutputBytes& output_;
  UncarriedFacts uncarried_;
  EventSources sources_;
  PerSite<SiteFacts> sites_;
  std::unordered_set<std::uint64_t> activities_;
  std::deque<Stack> stacks_;  // by index of the thread
  std::uint64_t beside_ = 0;  // spans outside the stacks
  std::uint64_t base_ = 0;
  bool begun_ = false;
  bool is_first_ = true;
  TextSink line_;
};

}  // namespace
}  // namespace chrome

std::unique_ptr<TraceWriter> write_chrome(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<chrome::Writer>(output, report);
}

}  // namespace ringside::tool
