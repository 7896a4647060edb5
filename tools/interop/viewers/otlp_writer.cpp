#include "tools/interop/viewers/otlp_writer.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/interop/event_facts.hpp"
#include "tools/interop/event_sources.hpp"
#include "tools/interop/per_site.hpp"
#include "tools/interop/span_lanes.hpp"
#include "tools/interop/uncarried_facts.hpp"
#include "tools/interop/viewers/otlp_resource.hpp"
#include "tools/interop/viewers/otlp_site.hpp"
#include "tools/interop/viewers/otlp_values.hpp"
#include "tools/interop/viewers/sampled_stacks.hpp"
#include "trace-format/lines/json_text.hpp"
#include "trace-format/lines/loss_text.hpp"

namespace ringside::tool {
namespace otlp {
namespace {

using trace::TextSink;
using Id = std::array<std::uint8_t, 16>;

constexpr std::size_t kMostRecords = 512;

struct OpenSpan {
  Id trace{};
  std::uint64_t id = 0;
};

using Spans = SpanLanes<OpenSpan>;

// A thread or a task.
struct Thread {
  std::string attributes;
  Spans spans;
};

// Where a record belongs.
struct Track {
  Spans& spans;
  std::uint64_t substream = 0;
};

// The rest of a span that has no end: its status.
constexpr std::string_view kUnended =
    ",{\"key\":\"ringside.open\",\"value\":{\"intValue\":\"1\"}}],"
    "\"status\":{\"code\":2,\"message\":\"the trace has no end of this span\"}}";

struct UnendedSpan {
  std::uint32_t process = 0;
  std::string category;
  std::string text;
  std::size_t end_at = 0;  // where in `text` its end belongs
};

// A line under construction: one resource, scopes one after the other.
struct Document {
  std::string_view
      resources;  // resourceLogs, scopeLogs, logRecords or their counterparts for spans
  std::string_view scopes;
  std::string_view records;
  TextSink text;
  std::size_t count = 0;
  std::uint32_t process = 0;
  std::string scope;
};

class Writer final : public TraceWriter {
 public:
  Writer(OutputBytes& output, ConversionReport& report)
      : output_(output), uncarried_(report, {}), sources_(report) {
    logs_.resources = "resourceLogs";
    logs_.scopes = "scopeLogs";
    logs_.records = "logRecords";
    spans_.resources = "resourceSpans";
    spans_.scopes = "scopeSpans";
    spans_.records = "spans";
  }

  void add(const trace::Event& event) override {
    if (event.kind == trace::EventKind::kSiteLoss) return;
    const auto [source, new_process, new_name] = sources_.of(event);
    if (source.index >= threads_.size()) threads_.resize(source.index + std::size_t{1});
    Thread& thread = threads_[source.index];
    if (new_process) add_process(*source.process);
    if (new_name) thread.attributes = attributes_of(source);
    if (event.kind == trace::EventKind::kLoss) return add_loss(event, source, thread);
    const EventSources::Track track = sources_.track_of(event, source);
    if (track.source.index >= threads_.size()) {
      threads_.resize(track.source.index + std::size_t{1});
    }
    Spans& spans = threads_[track.source.index].spans;
    spans.close(event.unix_ns, [](std::size_t, const auto&) {});
    if (sites_.is_full()) sites_.clear();
    const SiteFacts& site = sites_.of(event, facts_of);
    uncarried_.look_at_texts(event);
    const bool is_open = trace::is_span_begin(event);
    std::uint64_t& last_ns = last_ns_[source.process->index];
    last_ns = std::max(last_ns, event.unix_ns);
    if (is_open || has_duration(event)) {
      add_span(event, is_open, site, source, thread, {spans, track.substream});
    } else {
      add_log(event, site, source, thread, {spans, track.substream});
    }
  }

  void use(const std::shared_ptr<const MethodsByProcess>& methods) override {
    sampled_.use(methods);
  }

  void flush() override {
    finish(spans_);
    finish(logs_);
  }

  void end() override {
    put_open_spans();
    flush();
    uncarried_.tell();
  }

 private:
  // The place for the next record.
  TextSink& begin_record(Document& document, std::uint32_t process, const std::string& scope) {
    TextSink& out = document.text;
    if (document.count != 0 && (document.process != process || document.count == kMostRecords)) {
      finish(document);
    }
    const bool is_first = document.count == 0;
    if (is_first) {
      out.write("{\"");
      out.write(document.resources);
      out.write("\":[{\"resource\":{\"attributes\":[");
      out.write(resources_[process]);
      out.write("]},\"");
      out.write(document.scopes);
      out.write("\":[");
    }
    if (is_first || document.scope != scope) {
      if (!is_first) out.write("]},");
      out.write("{\"scope\":{\"name\":\"");
      out.write(scope);
      out.write("\"},\"");
      out.write(document.records);
      out.write("\":[");
    } else {
      out.put(',');
    }
    document.process = process;
    document.scope = scope;
    ++document.count;
    return out;
  }

  void finish(Document& document) {
    if (document.count == 0) return;
    document.text.write("]}]}]}\n");
    output_.put(document.text.text());
    document.text.clear();
    document.count = 0;
  }

  // An activity is a trace; without one, the process is the trace.
  static const Id& trace_of(const trace::Event& event) {
    const bool has = (event.record.ext_flags & shm::kExtActivity) != 0;
    return has && event.record.activity != Id{} ? event.record.activity : event.segment->uuid;
  }

  void add_process(const SourceProcess& process) {
    resources_.push_back(resource_of(process.segment, process.pid));
    last_ns_.push_back(0);
  }

  // Each span has an end in OTLP: for one without, the time of the last record of its process.
  void put_open_spans() {
    for (const UnendedSpan& span : unended_) {
      TextSink& out = begin_record(spans_, span.process, span.category);
      out.write(span.text.substr(0, span.end_at));
      put_number(out, last_ns_[span.process]);
      out.write(span.text.substr(span.end_at));
    }
  }

  void add_span(const trace::Event& event, bool is_open, const SiteFacts& site,
                const SourceThread& source, const Thread& thread, const Track& track) {
    const std::uint64_t end = span_end_ns(event);
    const auto place = track.spans.place_of(end, track.substream);
    // Unique: 2^40 records per thread, 2^24 threads.
    const OpenSpan span{trace_of(event),
                        (std::uint64_t{source.index} + 1) << 40 ^ event.record.sequence};
    open_text_.clear();
    TextSink& out =
        is_open ? open_text_ : begin_record(spans_, source.process->index, site.category);
    out.write("{\"traceId\":\"");
    put_hex(out, span.trace);
    out.write("\",\"spanId\":\"");
    put_hex(out, span.id);
    const auto* const parent = track.spans.around(
        end, track.substream, [&span](const OpenSpan& open) { return open.trace == span.trace; });
    if (parent != nullptr) {
      out.write("\",\"parentSpanId\":\"");
      put_hex(out, parent->what.id);
    }
    out.write("\",\"name\":");
    out.write(site.name);
    out.write(",\"kind\":1,\"startTimeUnixNano\":\"");
    put_number(out, event.unix_ns);
    out.write("\",\"endTimeUnixNano\":\"");
    const std::size_t end_at = out.size();
    if (!is_open) put_number(out, end);
    out.write("\",\"attributes\":[");
    put_attributes(out, event, site, thread);
    out.write(is_open ? kUnended : "],\"status\":{}}");
    if (is_open) {
      unended_.push_back({source.process->index, site.category, std::string(out.text()), end_at});
    }
    track.spans.open(place, span);
  }

  void add_log(const trace::Event& event, const SiteFacts& site, const SourceThread& source,
               const Thread& thread, const Track& track) {
    TextSink& out = begin_record(logs_, source.process->index, site.category);
    out.write("{\"timeUnixNano\":\"");
    put_number(out, event.unix_ns);
    out.put('"');
    out.write(site.severity);
    out.write(",\"body\":{\"stringValue\":\"");
    const std::size_t begin = out.size();
    site.message.append(out, event.record.args);
    trace::make_json_text(out, begin);
    out.write("\"},\"attributes\":[");
    put_attributes(out, event, site, thread);
    out.write("]");
    put_context(out, event, track);
    out.put('}');
  }

  // The trace of a log, and the span in it that the log belongs to.
  static void put_context(TextSink& out, const trace::Event& event, const Track& track) {
    const bool has_activity = (event.record.ext_flags & shm::kExtActivity) != 0;
    const auto* around = track.spans.innermost(track.substream);
    if (has_activity) {
      around = track.spans.around(event.unix_ns, track.substream, [&event](const OpenSpan& open) {
        return open.trace == trace_of(event);
      });
    }
    if (!has_activity && around == nullptr) return;
    const Id& trace = has_activity ? trace_of(event) : around->what.trace;
    out.write(",\"traceId\":\"");
    put_hex(out, trace);
    if (around != nullptr) {
      out.write("\",\"spanId\":\"");
      put_hex(out, around->what.id);
    }
    out.put('"');
  }

  void put_attributes(TextSink& out, const trace::Event& event, const SiteFacts& site,
                      const Thread& thread) {
    const trace::Record& record = event.record;
    put_attribute(out, "ringside.sequence", record.sequence);
    out.write(thread.attributes);
    out.write(site.attributes);
    for (std::size_t i = 0; i < site.keys.size() && i < record.args.size(); ++i) {
      out.write(site.keys[i]);
      put_any_value(out, record.args[i], uncarried_);
      out.put('}');
    }
    if (site.can_have_stack) put_stack(out, event);
    if (record.processor != 0) {
      out.put(',');
      put_attribute(out, "ringside.processor", record.processor - 1);
    }
    if (record.ext_flags == 0 && !record.cut) return;
    const auto has = [&record](std::uint32_t flag) { return (record.ext_flags & flag) != 0; };
    const auto put_id = [&out](std::string_view key, const Id& id) {
      out.write(",{\"key\":\"");
      out.write(key);
      out.write("\",\"value\":{\"stringValue\":\"");
      put_hex(out, id);
      out.write("\"}}");
    };
    const auto put = [&out](std::string_view key, std::uint64_t number) {
      out.put(',');
      put_attribute(out, key, number);
    };
    if (has(shm::kExtSubstream)) put("ringside.substream", record.substream);
    if (record.context != nullptr && record.context->task != 0) {
      out.put(',');
      put_attribute(out, "ringside.task", record.context->task_name);
    }
    if (has(shm::kExtActivity)) put_id("ringside.activity", record.activity);
    if (has(shm::kExtRelatedActivity)) put_id("ringside.related", record.related);
    if (has(shm::kExtStack)) put("ringside.stack_id", record.stack_id);
    if (record.cut) put("ringside.cut", 1);
  }

  // As .NET prints it: a line for each frame, innermost first.
  void put_stack(TextSink& out, const trace::Event& event) {
    SampledStacks::Stack stack;
    if (!sampled_.find(event, stack) || stack.addresses.empty()) return;
    const std::vector<std::uint32_t>& frames = sampled_.frames(event, stack);
    std::string text;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      if (!text.empty()) text += '\n';
      text += "at ";
      text += sampled_.name(*frame);
    }
    out.put(',');
    put_attribute(out, "code.stacktrace", text);
  }

  void add_loss(const trace::Event& event, const SourceThread& source, const Thread& thread) {
    TextSink& out = begin_record(logs_, source.process->index, "ringside");
    out.write("{\"timeUnixNano\":\"");
    put_number(out, event.unix_ns);
    out.write("\",\"severityNumber\":13,\"severityText\":\"LOST\",\"body\":{\"stringValue\":\"");
    trace::append_json_text(out, trace::loss_text(event));
    out.write("\"},\"attributes\":[");
    put_attribute(out, "ringside.sequence", event.record.sequence);
    out.write(thread.attributes);
    out.put(',');
    put_attribute(out, "ringside.lost", event.lost);
    out.put(',');
    put_attribute(out, "ringside.cause", trace::loss_cause_token(event.cause));
    out.put(',');
    put_attribute(out, "ringside.since_unix_ns", event.since_ns);
    out.write("]}");
  }

  OutputBytes& output_;
  UncarriedFacts uncarried_;
  EventSources sources_;
  PerSite<SiteFacts> sites_;
  SampledStacks sampled_;
  std::vector<std::string> resources_;  // attributes, by the index of the process
  std::vector<std::uint64_t> last_ns_;  // likewise
  std::vector<UnendedSpan> unended_;
  TextSink open_text_;
  std::deque<Thread> threads_;  // by index
  Document logs_;
  Document spans_;
};

}  // namespace
}  // namespace otlp

std::unique_ptr<TraceWriter> write_otlp(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<otlp::Writer>(output, report);
}

}  // namespace ringside::tool
