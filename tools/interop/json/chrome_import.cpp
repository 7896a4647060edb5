// Converts Chrome's trace events to Ringside traces: one stream per thread; events with an end
// become spans.

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "shm-layout/record_head.hpp"
#include "tools/interop/json/chrome_format.hpp"
#include "tools/interop/json/chrome_reader.hpp"
#include "tools/interop/json/chrome_spans.hpp"
#include "tools/interop/json/json_decimal.hpp"
#include "tools/interop/json/json_facts.hpp"
#include "tools/interop/json/json_sources.hpp"
#include "tools/interop/json/json_statements.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::tool {
namespace chrome {
namespace {

constexpr std::string_view kFlowCategory = "ringside.flow";  // set by the writer
constexpr std::string_view kNoText = "";

std::string_view text_of(const JsonNode* node) {
  return node == nullptr ? kNoText : node->text;
}

std::uint32_t number_of(const JsonNode* node) {
  return node != nullptr && node->kind == JsonKind::kUnsigned && node->low <= UINT32_MAX
             ? static_cast<std::uint32_t>(node->low)
             : 0;
}

// Activities have 128 bits, which must be equal for equal ids.
std::array<std::uint8_t, 16> activity_of(std::string_view id) {
  std::array<std::uint8_t, 16> activity{};
  std::uint64_t hash = 0xCBF29CE484222325;
  for (std::size_t half = 0; half < 2; ++half) {
    for (const char character : id) {
      hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001B3;
    }
    for (std::size_t i = 0; i < 8; ++i) {
      activity[8 * half + i] = static_cast<std::uint8_t>(hash >> (56 - 8 * i));
    }
  }
  return activity;
}

class Import {
 public:
  Import(InputBytes& input, TraceBuilder& builder, ConversionReport& report)
      : reader_(input),
        builder_(builder),
        report_(report),
        sources_(builder, report),
        statements_(builder, report, "chrome") {}

  ReadOutcome run() {
    Step step = reader_.next();
    for (; step == Step::kEvent; step = reader_.next()) take(reader_.event());
    if (step == Step::kRefused) return ReadOutcome::refused(reader_.offset(), reader_.why());
    const auto put_unended = [this](const OpenSpan& span) {
      report_.lost("a span has no duration: its end is missing");
      statements_.add(span.stream, span.unix_ns, span.record, span.extension);
    };
    nested_.for_each(put_unended);
    asynchronous_.for_each(put_unended);
    ReadOutcome outcome;
    if (step == Step::kDamaged) outcome = ReadOutcome::damaged(reader_.offset(), reader_.why());
    if (has_times_ && reader_.base_unix_ns() == 0) {
      outcome.warnings.emplace_back(
          "the origin of its times is unknown: they count from the beginning of 1970");
    }
    return outcome;
  }

 private:
  const JsonTree& tree() const { return reader_.tree(); }

  void take(const TraceEvent& event) {
    switch (event.phase) {
      case 'M':
        return take_metadata(event);
      case 'E':
        return close(nested_, thread_key(event), event);
      case 'e':
      case 'F':
        return close(asynchronous_, id_key(event), event);
      case 's':
      case 't':
      case 'f':
        if (reader_.is_own() && text_of(event.category) == kFlowCategory) return;
        break;
      default:
        break;
    }
    made_.unix_ns = time_of(event);
    made_.extension = {};
    own_thread_ = nullptr;
    if (!take_own(event)) make_record(event);
    made_.stream = stream_of(event.pid, own_thread_ == nullptr ? event.tid : own_thread_);
    if (event.phase == 'X' && event.duration != nullptr) put_duration(*event.duration);
    const bool is_nested = event.phase == 'B';
    if (is_nested || event.phase == 'b' || event.phase == 'S') {
      OpenSpans& spans = is_nested ? nested_ : asynchronous_;
      if (spans.open(is_nested ? thread_key(event) : id_key(event), made_)) return;
      report_.lost("a span has no duration: too many spans are open");
    }
    if (is_loss_) return put_loss();
    statements_.add(made_.stream, made_.unix_ns, made_.record, made_.extension);
  }

  std::uint64_t time_of(const TraceEvent& event) {
    const auto ns = event.time == nullptr ? std::nullopt : scaled_decimal(*event.time, 3);
    if (!ns) {
      report_.lost("has no time: it got the time of the event before");
      return last_ns_;
    }
    has_times_ = true;
    const trace::Int128 sum = trace::Int128{*ns} + reader_.base_unix_ns();
    last_ns_ = static_cast<std::uint64_t>(std::clamp<trace::Int128>(sum, 0, kLastNs));
    if (sum != last_ns_) report_.lost("its time became the nearest possible one");
    return last_ns_;
  }

  void put_duration(const JsonNode& duration) {
    const auto ns = scaled_decimal(duration, 3);
    if (!ns || *ns < 0) report_.lost("its duration became 0: it is negative or not a number");
    made_.extension.ext_flags |= shm::kExtDuration;
    made_.extension.duration = ns && *ns > 0 ? static_cast<std::uint64_t>(*ns) : 0;
  }

  std::uint32_t process_of(const JsonNode* pid) {
    ProcessDefinition process;
    process.pid = number_of(pid);
    process.service = "chrome";
    process.start_unix_ns = reader_.base_unix_ns();
    process.is_named_later = true;
    return sources_.process(text_of(pid), process);
  }

  std::uint32_t stream_of(const JsonNode* pid, const JsonNode* tid, std::string_view name = {}) {
    const std::uint32_t id = number_of(tid);
    const bool is_text = name.empty() && id == 0 && tid != nullptr && tid->is_text();
    return sources_.thread(process_of(pid), text_of(tid), id, is_text ? tid->text : name);
  }

  std::string thread_key(const TraceEvent& event) {
    std::string key(text_of(event.pid));
    key += '\0';
    return key += text_of(event.tid);
  }

  // The key of an asynchronous span is its category and id, and for the older form also its name.
  std::string id_key(const TraceEvent& event) {
    const bool is_old = event.phase == 'S' || event.phase == 'F';
    std::string key(1, is_old ? 'S' : 'b');
    const auto append = [&key](std::string_view text) {
      key += text;
      key += '\0';
    };
    append(text_of(event.category));
    append(text_of(event.id));
    if (is_old) append(text_of(event.name));
    for (const std::uint32_t i : event.others) {
      const JsonNode& node = tree().nodes()[i];
      if (node.key == "id2" || node.key == "scope") append(node.text);
      if (node.key == "id2" && node.text.find("local") != std::string_view::npos) {
        append(text_of(event.pid));
      }
    }
    return key;
  }

  void take_metadata(const TraceEvent& event) {
    std::string_view name;
    bool is_own_row = false;  // of a substream
    if (event.args) {
      tree().for_each_in(*event.args, [&](std::uint32_t i) {
        const JsonNode& node = tree().nodes()[i];
        if ((node.key == "name" || node.key == "labels") && node.is_text()) name = node.text;
        is_own_row = is_own_row || (reader_.is_own() && node.key == "tid");
      });
    }
    const std::string_view what = text_of(event.name);
    if (what == "process_name") {
      builder_.name_process(process_of(event.pid), name);
    } else if (what == "process_labels" && reader_.is_own()) {
      builder_.name_host(process_of(event.pid), name);
    } else if (what == "thread_name") {
      if (!is_own_row) stream_of(event.pid, event.tid, name);
    } else {
      report_.lost("metadata except the names of processes and threads is left out");
    }
  }

  void close(OpenSpans& spans, const std::string& key, const TraceEvent& event) {
    OpenSpan span;
    const std::uint64_t end = time_of(event);
    if (!spans.close(key, span)) return report_.lost("an end without a beginning is left out");
    if (end < span.unix_ns) report_.lost("ends before it begins: its duration became 0");
    span.extension.ext_flags |= shm::kExtDuration;
    span.extension.duration = end > span.unix_ns ? end - span.unix_ns : 0;
    if (event.args) {
      tree().for_each_in(
          *event.args, [&](std::uint32_t i) { span.record.add(tree().nodes()[i].key, tree(), i); });
    }
    statements_.add(span.stream, span.unix_ns, span.record, span.extension);
  }

  void make_record(const TraceEvent& event) {
    static constexpr std::string_view kSpanPhases = "XBbS";
    const char phase = event.phase;
    JsonHead head;
    if (kSpanPhases.find(phase) != std::string_view::npos) head.kind = shm::SiteKind::kSpan;
    if (phase == 'C') head.kind = shm::SiteKind::kCounter;
    head.name = head.format = text_of(event.name);
    head.category = text_of(event.category);
    const std::uint32_t fields[] = {event.args.value_or(0)};
    begin_with_fields(made_.record, head, tree(), std::span(fields).first(event.args ? 1 : 0),
                      kNoText);
    // Facts that the event model has a place for need no field.
    static constexpr std::string_view kKnownPhases = "XBECiI";
    if (kKnownPhases.find(phase) == std::string_view::npos) {
      made_.record.add_text("chrome.ph", {&phase, phase == '\0' ? 0U : 1U});
    }
    if (event.id != nullptr) put_fact(*event.id);
    if (event.duration != nullptr && phase != 'X') put_fact(*event.duration);
    for (const std::uint32_t i : event.others) {
      const JsonNode& node = tree().nodes()[i];
      if (node.key == "s" && node.text == "t") continue;
      if (node.key == "bind_id") put_activity(node.text);
      put_fact(node);
    }
    if (phase == 's' || phase == 't' || phase == 'f') {
      put_activity(fmt::format("{}:{}:{}", head.category, head.name, text_of(event.id)));
    }
  }

  void put_fact(const JsonNode& node) {
    const auto index = static_cast<std::uint32_t>(&node - tree().nodes().data());
    made_.record.add("chrome." + std::string(node.key), tree(), index);
  }

  void put_activity(std::string_view id) {
    made_.extension.ext_flags |= shm::kExtActivity;
    made_.extension.activity = activity_of(id);
  }

  // Reads what chrome_writer.cpp has written. False if the event has another form.
  bool take_own(const TraceEvent& event) {
    is_loss_ = false;
    if (!reader_.is_own()) return false;
    std::array<std::uint32_t, 2> fields{};
    std::size_t count = 0;
    std::optional<std::uint32_t> facts_at;
    if (event.args) {
      fields[count++] = *event.args;
      tree().for_each_in(*event.args, [&](std::uint32_t i) {
        if (tree().nodes()[i].key == "ringside") facts_at = i;
      });
    }
    for (const std::uint32_t i : event.others) {
      if (tree().nodes()[i].key == "fields" && count == 1) fields[count++] = i;
      if (tree().nodes()[i].key == "ringside") facts_at = i;
    }
    if (!facts_at) return false;
    JsonFacts facts;
    facts.head.name = facts.head.format = text_of(event.name);
    facts.head.category = text_of(event.category);
    bool has_level = false;
    tree().for_each_in(*facts_at, [&](std::uint32_t i) {
      has_level = has_level || tree().nodes()[i].key == "level";
      if (tree().nodes()[i].key == "tid") own_thread_ = &tree().nodes()[i];
      facts.take(tree().nodes()[i]);
    });
    if (!has_level && event.args && take_loss(*event.args)) return true;
    if (facts.has_message && facts.head.style == shm::FormatStyle::none) {
      facts.head.style = shm::FormatStyle::printf;
    }
    made_.extension = facts.extension;
    begin_with_fields(made_.record, facts.head, tree(), std::span(fields).first(count), "ringside");
    return true;
  }

  bool take_loss(std::uint32_t args) {
    tree().for_each_in(args, [this](std::uint32_t i) {
      const JsonNode& node = tree().nodes()[i];
      if (node.key == "count" && node.kind == JsonKind::kUnsigned) {
        is_loss_ = true;
        lost_ = node.low;
      }
      if (node.key == "cause") cause_ = loss_cause_of(node.text);
    });
    return is_loss_;
  }

  void put_loss() { builder_.lost(made_.stream, made_.unix_ns, lost_, cause_); }

  // The latest time of a trace: the year 2262.
  static constexpr std::int64_t kLastNs = std::numeric_limits<std::int64_t>::max();

  Reader reader_;
  TraceBuilder& builder_;
  ConversionReport& report_;
  JsonSources sources_;
  JsonStatements statements_;
  OpenSpan made_;                         // of the current event
  const JsonNode* own_thread_ = nullptr;  // of the current event, if its row has another number
  OpenSpans nested_;
  OpenSpans asynchronous_;
  std::uint64_t last_ns_ = 0;
  bool has_times_ = false;
  bool is_loss_ = false;
  std::uint64_t lost_ = 0;
  shm::LossCause cause_{};
};

}  // namespace
}  // namespace chrome

ReadOutcome read_chrome(InputBytes& input, TraceBuilder& builder, ConversionReport& report) {
  return chrome::Import(input, builder, report).run();
}

}  // namespace ringside::tool
