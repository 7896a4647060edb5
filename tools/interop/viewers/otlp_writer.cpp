#include "tools/interop/viewers/otlp_writer.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/interop/event_facts.hpp"
#include "tools/interop/event_sources.hpp"
#include "tools/interop/per_site.hpp"
#include "tools/interop/span_lanes.hpp"
#include "tools/interop/uncarried_facts.hpp"
#include "tools/interop/viewers/otlp_values.hpp"
#include "tools/interop/viewers/sampled_stacks.hpp"
#include "trace-format/condition/site_message.hpp"
#include "trace-format/lines/field_keys.hpp"
#include "trace-format/lines/json_text.hpp"
#include "trace-format/lines/loss_text.hpp"

namespace ringside::tool {
namespace otlp {
namespace {

using trace::TextSink;
using Id = std::array<std::uint8_t, 16>;

constexpr std::size_t kMostRecords = 512;

// severityNumber of OpenTelemetry's log data model.
constexpr std::uint64_t severity(shm::Level level) {
  constexpr std::uint8_t kNumbers[] = {0, 1, 5, 9, 10, 13, 17, 21};
  const auto index = static_cast<std::size_t>(level);
  return index < std::size(kNumbers) ? kNumbers[index] : 0;
}

struct SiteFacts {
  std::string name;               // quoted, as JSON
  std::string severity;           // of logs: ,"severityNumber":9,"severityText":"INFO"
  std::string category;           // as JSON, without quotes
  std::string attributes;         // shared by all its records, each with a preceding comma
  std::vector<std::string> keys;  // of the fields: ,{"key":"name","value":
  trace::SiteMessage message;
  bool can_have_stack = false;
};

struct OpenSpan {
  Id trace{};
  std::uint64_t id = 0;
};

struct Thread {
  std::string attributes;
  SpanLanes<OpenSpan> spans;
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
    if (new_process)
      resources_.push_back(resource_of(source.process->segment, source.process->pid));
    if (new_name) thread.attributes = attributes_of(source);
    thread.spans.close(event.unix_ns, [](std::size_t, const auto&) {});
    if (event.kind == trace::EventKind::kLoss) return add_loss(event, source, thread);
    if (sites_.is_full()) sites_.clear();
    const SiteFacts& site = sites_.of(event, facts_of);
    uncarried_.look_at_texts(event);
    if (has_duration(event)) {
      add_span(event, site, source, thread);
    } else {
      add_log(event, site, source, thread);
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
    flush();
    uncarried_.tell();
  }

 private:
  static std::string resource_of(const trace::SegmentInfo& segment, std::uint32_t pid) {
    TextSink out;
    put_attribute(out, "service.name", segment.service);
    out.put(',');
    put_attribute(out, "process.pid", pid);
    if (!segment.executable.empty()) {
      out.put(',');
      put_attribute(out, "process.executable.path", segment.executable);
    }
    if (!segment.host.empty()) {
      out.put(',');
      put_attribute(out, "host.name", segment.host);
    }
    return std::string(out.text());
  }

  static std::string attributes_of(const SourceThread& source) {
    if (!source.is_thread) return {};
    TextSink out;
    out.put(',');
    put_attribute(out, "thread.id", source.id);
    if (!source.name.empty()) {
      out.put(',');
      put_attribute(out, "thread.name", source.name);
    }
    return std::string(out.text());
  }

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

  void add_span(const trace::Event& event, const SiteFacts& site, const SourceThread& source,
                Thread& thread) {
    const std::uint64_t end = event.unix_ns + duration_ns(event);
    const auto place = thread.spans.place_of(end, substream_of(event));
    // Unique: 2^40 records per thread, 2^24 threads.
    const OpenSpan span{trace_of(event),
                        (std::uint64_t{source.index} + 1) << 40 ^ event.record.sequence};
    TextSink& out = begin_record(spans_, source.process->index, site.category);
    out.write("{\"traceId\":\"");
    put_hex(out, span.trace);
    out.write("\",\"spanId\":\"");
    put_hex(out, span.id);
    const auto* const parent =
        thread.spans.around(end, substream_of(event),
                            [&span](const OpenSpan& open) { return open.trace == span.trace; });
    if (parent != nullptr) {
      out.write("\",\"parentSpanId\":\"");
      put_hex(out, parent->what.id);
    }
    out.write("\",\"name\":");
    out.write(site.name);
    out.write(",\"kind\":1,\"startTimeUnixNano\":\"");
    put_number(out, event.unix_ns);
    out.write("\",\"endTimeUnixNano\":\"");
    put_number(out, end);
    out.write("\",\"attributes\":[");
    put_attributes(out, event, site, thread);
    out.write("],\"status\":{}}");
    thread.spans.open(place, span);
  }

  void add_log(const trace::Event& event, const SiteFacts& site, const SourceThread& source,
               const Thread& thread) {
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
    put_context(out, event, thread);
    out.put('}');
  }

  // The trace of a log, and the span in it that the log belongs to.
  static void put_context(TextSink& out, const trace::Event& event, const Thread& thread) {
    const bool has_activity = (event.record.ext_flags & shm::kExtActivity) != 0;
    const auto* around = thread.spans.innermost(substream_of(event));
    if (has_activity) {
      around = thread.spans.around(
          event.unix_ns, substream_of(event),
          [&event](const OpenSpan& open) { return open.trace == trace_of(event); });
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

  static SiteFacts facts_of(const trace::Site& site) {
    SiteFacts facts{.name = trace::quoted_json_text(event_name(site)),
                    .severity = {},
                    .category = trace::json_text(site.category),
                    .attributes = {},
                    .keys = {},
                    .message = trace::SiteMessage(site),
                    .can_have_stack = false};
    TextSink out;
    const std::string_view level = shm::level_name(site.level);
    out.write(",\"severityNumber\":");
    put_number(out, severity(site.level));
    out.write(",\"severityText\":\"");
    out.write(level);
    out.put('"');
    facts.severity = out.text();
    out.clear();
    const auto put = [&out](std::string_view key, const auto& value) {
      out.put(',');
      put_attribute(out, key, value);
    };
    put("ringside.kind", kind_name(site.kind));
    put("ringside.level", level);
    if (!site.name.empty()) put("ringside.name", std::string_view(site.name));
    if (site.keywords != 0) put("ringside.keywords", site.keywords);
    if (!site.file.empty()) {
      put("code.file.path", std::string_view(site.file));
      put("code.line.number", std::uint64_t{site.line});
    }
    if (!site.function.empty()) put("code.function.name", std::string_view(site.function));
    facts.attributes = out.text();
    facts.can_have_stack =
        std::any_of(site.fields.begin(), site.fields.end(), SampledStacks::is_stack);
    for (const std::string& key : trace::field_keys(site, trace::json_text)) {
      facts.keys.push_back(",{\"key\":\"field." + key + "\",\"value\":");
    }
    return facts;
  }

  OutputBytes& output_;
  UncarriedFacts uncarried_;
  EventSources sources_;
  PerSite<SiteFacts> sites_;
  SampledStacks sampled_;
  std::vector<std::string> resources_;  // attributes, by the index of the process
  std::deque<Thread> threads_;          // by index
  Document logs_;
  Document spans_;
};

}  // namespace
}  // namespace otlp

std::unique_ptr<TraceWriter> write_otlp(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<otlp::Writer>(output, report);
}

}  // namespace ringside::tool
