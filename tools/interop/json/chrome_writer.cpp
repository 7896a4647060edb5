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
#include "tools/interop/span_lanes.hpp"
#include "tools/interop/uncarried_facts.hpp"
#include "trace-format/condition/site_message.hpp"
#include "trace-format/lines/field_keys.hpp"
#include "trace-format/lines/json_text.hpp"
#include "trace-format/lines/json_value.hpp"
#include "trace-format/lines/loss_text.hpp"
#include "trace-format/lines/record_extension_text.hpp"

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

struct NoMore {};

// A row of a viewer.
struct Row {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
};

// The rows of a thread or task: its own, and one for each of its substreams.
struct Rows {
  SpanLanes<NoMore> spans;
  std::vector<std::uint32_t> tids;         // by lane; 0: not shown so far
  std::vector<std::uint64_t> last_begins;  // of the nested spans, by lane
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
      put_record(event, thread, sources_.track_of(event, thread));
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

  static Row row_of(const SourceThread& thread) { return {thread.process->pid, thread.id}; }

  void put_row(Row row) {
    line_.write(",\"pid\":");
    put_number(line_, row.pid);
    put_tid(row.tid);
  }

  void put_time(std::uint64_t unix_ns) {
    line_.write(",\"ts\":");
    if (unix_ns < base_) line_.put('-');
    put_microseconds(line_, unix_ns < base_ ? base_ - unix_ns : unix_ns - base_);
  }

  // `tid` of the thread that the row belongs to if the row has another number.
  void put_metadata(std::string_view what, Row row, std::string_view name,
                    std::optional<std::uint32_t> tid = {}) {
    begin_line('M');
    line_.write(",\"name\":\"");
    line_.write(what);
    line_.put('"');
    put_row(row);
    line_.write(",\"args\":{\"");
    line_.write(what == "process_labels" ? "labels" : "name");
    line_.write("\":\"");
    trace::append_json_text(line_, name);
    line_.put('"');
    if (tid) put_tid(*tid);
    line_.write("}}");
  }

  void put_tid(std::uint32_t tid) {
    line_.write(",\"tid\":");
    put_number(line_, tid);
  }

  void put_process(const SourceProcess& process) {
    const Row whole{process.pid, 0};
    put_metadata("process_name", whole, process.segment.service);
    if (!process.segment.host.empty()) put_metadata("process_labels", whole, process.segment.host);
  }

  // Viewers treat an empty name as an error.
  void put_thread(const SourceThread& thread) {
    if (!thread.name.empty()) put_metadata("thread_name", row_of(thread), thread.name);
  }

  // Viewers nest spans of one row by their times alone, so each substream needs a row. `thread` has
  // made the record, `track` shows it.
  Row lane_row(const SourceThread& thread, const SourceThread& track, Rows& rows,
               std::size_t lane) {
    if (lane == 0) return row_of(track);
    if (rows.tids.size() <= lane) rows.tids.resize(lane + 1);
    Row row{track.process->pid, rows.tids[lane]};
    if (row.tid != 0) return row;
    row.tid = rows.tids[lane] = sources_.made_up_id();
    const std::string name = track.task != 0      ? track.task_name()
                             : track.name.empty() ? fmt::format("thread {}", track.id)
                                                  : track.name;
    put_metadata("thread_name", row, name + ' ' + rows.spans.name_of(lane), thread.id);
    return row;
  }

  // Whether the span nests in the spans that its lane had until now; if so, it is opened there.
  // Viewers drop spans that overlap without nesting.
  static bool nests(Rows& rows, const trace::Event& event, std::uint64_t substream,
                    std::uint64_t end, std::size_t lane) {
    if (rows.last_begins.size() <= lane) rows.last_begins.resize(lane + 1);
    if (event.unix_ns < rows.last_begins[lane]) return false;
    const auto place = rows.spans.place_of(end, substream);
    if (place.is_beside) return false;
    rows.last_begins[lane] = event.unix_ns;
    rows.spans.open(place, {});
    return true;
  }

  void put_loss(const trace::Event& event, const SourceThread& thread) {
    begin_line('i');
    line_.write(",\"name\":\"lost records\",\"cat\":\"ringside\"");
    put_row(row_of(thread));
    put_time(event.unix_ns);
    line_.write(thread.is_thread ? ",\"s\":\"t\"" : ",\"s\":\"p\"");
    line_.write(",\"args\":{\"count\":");
    put_number(line_, event.lost);
    line_.write(",\"cause\":\"");
    line_.write(trace::loss_cause_token(event.cause));
    line_.write("\",\"ringside\":{\"seq\":");
    put_number(line_, event.record.sequence);
    line_.write("}}}");
  }

  void put_record(const trace::Event& event, const SourceThread& thread,
                  const EventSources::Track& track) {
    if (sites_.is_full()) sites_.clear();
    const SiteFacts& site = sites_.of(event, facts_of);
    uncarried_.look_at_texts(event);
    const bool is_open = trace::is_span_begin(event);
    const bool is_span = is_open || has_duration(event);
    const bool is_counter = site.is_counter && !is_span;
    const std::uint64_t end = span_end_ns(event);
    const SourceThread& source = track.source;
    if (track.is_new) put_metadata("thread_name", row_of(source), source.task_name(), thread.id);
    if (source.index >= rows_.size()) rows_.resize(source.index + std::size_t{1});
    Rows& rows = rows_[source.index];
    rows.spans.close(event.unix_ns, [](std::size_t, const auto&) {});
    const std::size_t lane = is_counter ? 0 : rows.spans.lane_for(track.substream);
    const bool is_beside = is_span && !nests(rows, event, track.substream, end, lane);
    const Row row = is_counter ? row_of(thread) : lane_row(thread, source, rows, lane);
    begin_line(is_beside ? 'b' : is_open ? 'B' : is_span ? 'X' : is_counter ? 'C' : 'i');
    line_.write(site.head);
    put_row(row);
    put_time(event.unix_ns);
    if (is_beside) {
      put_id(++beside_);
    } else if (is_span && !is_open) {
      line_.write(",\"dur\":");
      put_microseconds(line_, end - event.unix_ns);
    } else if (!is_counter && !is_open) {
      line_.write(thread.is_thread ? ",\"s\":\"t\"" : ",\"s\":\"p\"");
    }
    line_.write(",\"args\":{");
    if (is_counter) {
      // Viewers draw everything in args.
      put_fields(event, site, true, false);
      line_.write("},\"fields\":{");
      put_fields(event, site, false, true);
      line_.write("},\"ringside\":");
      put_facts(event, site, {});
    } else {
      put_fields(event, site, true, true);
      line_.write(site.fields.empty() ? "\"ringside\":" : ",\"ringside\":");
      put_facts(event, site, row.tid == thread.id ? std::nullopt : std::optional(thread.id));
      line_.put('}');
    }
    line_.put('}');
    if (is_beside && !is_open) put_end(site, row, end);
    if (event.record.ext_flags != 0) put_flows(event, row);
  }

  // Ends the span that has just been written outside its row's stack.
  void put_end(const SiteFacts& site, Row row, std::uint64_t unix_ns) {
    begin_line('e');
    line_.write(site.head);
    put_row(row);
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
        trace::append_json_value(line_, event.record.args[i]);
      } else {
        line_.write("null");
      }
    }
  }

  // `tid` of the record's thread if its row has another number.
  void put_facts(const trace::Event& event, const SiteFacts& site,
                 std::optional<std::uint32_t> tid) {
    line_.write("{\"seq\":");
    put_number(line_, event.record.sequence);
    if (tid) put_tid(*tid);
    if (event.record.processor != 0) {
      line_.write(",\"processor\":");
      put_number(line_, event.record.processor - 1);
    }
    line_.write(site.tail);
    if (site.message) {
      line_.write(",\"message\":\"");
      const std::size_t begin = line_.size();
      site.message->append(line_, event.record.args);
      trace::make_json_text(line_, begin);
      line_.put('"');
    }
    if (event.record.ext_flags != 0 || event.record.cut) {
      trace::RecordExtensionText(event.record, event.segment->tick_hz).append_json_members(line_);
    }
    line_.put('}');
  }

  // An activity's first record begins its flow, further records continue it, and the records that
  // it caused end it.
  void put_flows(const trace::Event& event, Row row) {
    if ((event.record.ext_flags & shm::kExtActivity) != 0) {
      const std::uint64_t id = flow_id(event.record.activity);
      if (activities_.size() >= kMostActivities) activities_.clear();
      put_flow(activities_.insert(id).second ? 's' : 't', id, event, row);
    }
    if ((event.record.ext_flags & shm::kExtRelatedActivity) != 0) {
      put_flow('f', flow_id(event.record.related), event, row);
    }
  }

  void put_flow(char phase, std::uint64_t id, const trace::Event& event, Row row) {
    begin_line(phase);
    line_.write(",\"name\":\"activity\",\"cat\":\"ringside.flow\",\"bp\":\"e\"");
    put_id(id);
    put_row(row);
    put_time(event.unix_ns);
    line_.put('}');
  }

  static SiteFacts facts_of(const trace::Site& site) {
    SiteFacts facts;
    facts.head = fmt::format(",\"name\":{},\"cat\":{}", trace::quoted_json_text(event_name(site)),
                             trace::quoted_json_text(site.category));
    facts.tail = fmt::format(",\"level\":\"{}\",\"kind\":\"{}\"", shm::level_name(site.level),
                             kind_name(site.kind));
    // The facts that the shown name does not contain.
    if (site.name.empty()) facts.tail += ",\"name\":\"\"";
    if (site.format != event_name(site)) {
      facts.tail += fmt::format(",\"format\":{}", trace::quoted_json_text(site.format));
    }
    if (site.style == static_cast<std::uint8_t>(shm::FormatStyle::brace)) {
      facts.tail += ",\"style\":\"brace\"";
    }
    if (site.keywords != 0) facts.tail += fmt::format(",\"keywords\":\"{:#x}\"", site.keywords);
    if (!site.file.empty() || !site.function.empty()) {
      facts.tail += fmt::format(",\"file\":{},\"line\":{},\"function\":{}",
                                trace::quoted_json_text(site.file), site.line,
                                trace::quoted_json_text(site.function));
    }
    const std::vector<std::string> keys = trace::field_keys(site, trace::json_text, {"ringside"});
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
  std::deque<Rows> rows_;     // by index of the thread or task
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
