#include "tools/interop/nettrace/nettrace_summary.hpp"

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trace-format/lines/json_text.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool::nettrace {
namespace {

// Members of one JSON document, one per line.
class JsonMembers {
 public:
  explicit JsonMembers(OutputBytes& output) : output_(output) { output_.put("{"); }

  void open(std::string_view key) {
    name(key);
    output_.put("{");
    ++depth_;
    first_ = true;
  }
  void close() {
    --depth_;
    if (!first_) new_line();
    output_.put("}");
    first_ = false;
  }
  template <class Number>
  void number(std::string_view key, Number number) {
    name(key);
    output_.put(fmt::format("{}", number));
  }
  template <class Number>
  void number(std::string_view key, const std::optional<Number>& number) {
    name(key);
    output_.put(number ? fmt::format("{}", *number) : "null");
  }
  void text(std::string_view key, std::string_view text) {
    name(key);
    output_.put(trace::quoted_json_text(text));
  }
  void raw(std::string_view key, std::string_view json) {
    name(key);
    output_.put(json);
  }
  void texts(std::string_view key, const auto& texts) {
    name(key);
    std::string_view separator = "[";
    for (const std::string& text : texts) {
      output_.put(separator);
      output_.put(trace::quoted_json_text(text));
      separator = ", ";
    }
    output_.put(separator == "[" ? "[]" : "]");
  }
  OutputBytes& list(std::string_view key) {
    name(key);
    output_.put("[");
    return output_;
  }

 private:
  void name(std::string_view key) {
    if (!first_) output_.put(",");
    first_ = false;
    new_line();
    output_.put(trace::quoted_json_text(key));
    output_.put(": ");
  }
  void new_line() {
    output_.put("\n");
    output_.put(std::string(depth_, ' '));
  }

  OutputBytes& output_;
  std::size_t depth_ = 1;
  bool first_ = true;
};

void put_trace(const TraceFacts& trace, JsonMembers& json) {
  constexpr std::string_view kParts[] = {"year", "month",  "day_of_week", "day",
                                         "hour", "minute", "second",      "millisecond"};
  json.open("trace");
  json.number("type_version", trace.version);
  json.number("min_reader_version", trace.min_reader_version);
  for (std::size_t i = 0; i < trace.sync_time.size(); ++i) {
    json.number(kParts[i], trace.sync_time[i]);
  }
  json.text("sync_time_utc", sync_time_text(trace));
  json.number("sync_time_qpc", trace.sync_qpc);
  json.number("qpc_frequency", trace.qpc_frequency);
  json.number("pointer_size", trace.pointer_bytes);
  json.number("process_id", trace.process_id);
  json.number("number_of_processors", trace.processors);
  json.number("expected_cpu_sampling_rate", trace.sampling_rate);
  json.close();
}

void put_objects(const Statistics& s, StatisticsVisitor& visitor, JsonMembers& json) {
  json.open("objects");
  for (const auto& [type, count] : s.objects) json.number(type, count);
  json.close();
  json.texts("object_versions", s.object_versions);
  json.text("object_list_sha256", visitor.object_digest().finish());
  json.number("header_compressed_blocks", s.compressed_blocks);
  json.number("uncompressed_blocks", s.plain_blocks);
  json.open("block_header_sizes");
  for (const auto& [bytes, count] : s.block_header_bytes) {
    json.number(std::to_string(bytes), count);
  }
  json.close();
  json.open("compressed_flag_bytes");
  for (std::size_t i = 0; i < s.flag_bytes.size(); ++i) {
    if (s.flag_bytes[i] != 0) json.number(fmt::format("0x{:02x}", i), s.flag_bytes[i]);
  }
  json.close();
}

void put_events(const Statistics& s, JsonMembers& json) {
  json.number("events", s.events);
  std::map<std::string, std::uint64_t> providers;
  OutputBytes& list = json.list("events_by_type");
  std::string_view separator = "\n  ";
  for (const auto& [type, counts] : s.types) {
    const auto& [provider, id, name, version] = type;
    providers[provider] += counts.events;
    list.put(separator);
    list.put(
        fmt::format("{{\"provider\": {}, \"event_id\": {}, \"event_name\": {}, "
                    "\"version\": {}, \"count\": {}, \"payload_bytes\": {}}}",
                    trace::quoted_json_text(provider), id, trace::quoted_json_text(name), version,
                    counts.events, counts.payload_bytes));
    separator = ",\n  ";
  }
  list.put(s.types.empty() ? "]" : "\n ]");
  json.open("events_by_provider");
  for (const auto& [provider, count] : providers) json.number(provider, count);
  json.close();
  json.number("events_without_metadata", s.events_without_metadata);
  json.number("payload_bytes", s.payload_bytes);
  json.number("sorted_flag_events", s.sorted_events);
  json.number("events_with_activity_id", s.events_with_activity);
  json.number("events_with_related_activity_id", s.events_with_related_activity);
  json.number("events_with_nonzero_stack_id", s.events_with_stack_id);
  constexpr std::string_view kFits[] = {"no_fields", "exact", "extra_bytes", "too_short"};
  json.open("payload_decode");
  for (std::size_t i = 0; i < std::size(kFits); ++i) json.number(kFits[i], s.payload_fits[i]);
  json.close();
}

void put_metadata(const Statistics& s, StatisticsVisitor& visitor, JsonMembers& json) {
  constexpr std::string_view kDescriptions[] = {"none", "v1", "v2", "unknown"};
  json.number("metadata_records", s.metadata_records);
  json.number("metadata_redefinitions", s.metadata_redefinitions);
  json.open("metadata_field_descriptions");
  for (std::size_t i = 0; i < std::size(kDescriptions); ++i) {
    if (s.descriptions[i] != 0) json.number(kDescriptions[i], s.descriptions[i]);
  }
  json.close();
  json.number("metadata_with_opcode_tag", s.metadata_with_opcode);
  json.text("metadata_sha256", visitor.metadata_digest().finish());
}

void put_stacks(const StackCounts& stacks, StatisticsVisitor& visitor, JsonMembers& json) {
  json.open("stacks");
  json.number("count", stacks.count);
  json.number("empty", stacks.empty);
  json.number("bytes", stacks.bytes);
  json.number("frames", stacks.frames);
  json.number("max_frames", stacks.max_frames);
  json.number("first_id", stacks.first_id);
  json.number("last_id", stacks.last_id);
  json.text("sha256", visitor.stack_digest().finish());
  json.number("events_with_frames", stacks.events_with_frames);
  json.number("events_unresolved", stacks.events_unresolved);
  json.close();
}

void put_dropped(const SequenceLedger::Counts& dropped, JsonMembers& json) {
  json.open("dropped");
  json.number("total", dropped.total());
  json.number("events_gap", dropped.events_gap);
  json.number("sequence_point_gap", dropped.sequence_point_gap);
  json.number("gaps", dropped.gaps);
  json.number("sequence_point_gaps", dropped.sequence_point_gaps);
  json.number("resets", dropped.resets);
  json.number("regressions", dropped.regressions);
  json.number("first_seen_above_1", dropped.first_seen_above_1);
  json.number("first_seen_missing", dropped.first_seen_missing);
  json.number("sequence_point_below_last", dropped.sequence_point_below_last);
  json.close();
}

void put_csv(StatisticsVisitor& visitor, JsonMembers& json, OutputBytes& output) {
  constexpr std::size_t kFirstLines = 3;
  TextDigest digest;
  std::vector<std::string> first;
  std::string last;
  std::string error;
  const bool sorted = visitor.lines().give(
      [&](std::string_view line) {
        digest.put(line);
        line.remove_suffix(1);
        if (first.size() < kFirstLines) first.emplace_back(line);
        last = line;
      },
      &error);
  if (!sorted) output.fail(error);
  json.text("csv_sha256", digest.finish());
  json.text("csv_file_order_sha256", visitor.line_digest().finish());
  json.texts("csv_first_lines", first);
  json.texts("csv_last_line",
             first.empty() ? std::vector<std::string>() : std::vector<std::string>{last});
}

}  // namespace

std::string sync_time_text(const TraceFacts& trace) {
  const auto& t = trace.sync_time;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", t[0], t[1], t[3], t[4], t[5],
                     t[6], t[7]);
}

void put_summary_json(const FileFacts& file, StatisticsVisitor& visitor, OutputBytes& output) {
  const Statistics& s = visitor.statistics();
  JsonMembers json(output);
  json.text("schema", "nettrace-summary-1");
  json.text("file", file.name);
  json.number("size", file.bytes);
  json.text("sha256", file.sha256);
  json.raw("ended_with_null_reference", file.ended_with_null_reference ? "true" : "false");
  json.number("trailing_bytes", file.trailing_bytes);
  json.raw("parse_error", file.error.empty() ? "null" : trace::quoted_json_text(file.error));
  put_trace(s.trace, json);
  put_objects(s, visitor, json);
  put_events(s, json);
  put_metadata(s, visitor, json);
  put_stacks(s.stacks, visitor, json);
  json.number("sequence_points", s.sequence_points);
  OutputBytes& points = json.list("sequence_point_list");
  visitor.points_json().move_to(points);
  points.put(s.sequence_points == 0 ? "]" : "\n ]");
  json.text("sequence_points_sha256", visitor.point_digest().finish());
  json.number("first_timestamp", s.first_timestamp);
  json.number("last_timestamp", s.last_timestamp);
  json.number("capture_threads", s.capture_threads.size());
  json.number("threads", s.threads.size());
  json.number("processors", s.processors.size());
  json.number("out_of_order_events", s.out_of_order_events);
  json.number("events_outside_sequence_point_bounds", s.events_outside_sequence_points);
  json.number("block_timestamp_range_violations", s.events_outside_block_range);
  put_dropped(s.ledger.counts(), json);
  put_csv(visitor, json, output);
  output.put("\n}\n");
}

void put_summary_text(const FileFacts& file, const Statistics& s, OutputBytes& output) {
  const TraceFacts& trace = s.trace;
  const bool is_netperf = trace.version < kTraceVersion;
  output.put(fmt::format("{}, trace version {}, {} bytes, sha256 {}\n",
                         is_netperf ? "NetPerf" : "NetTrace", trace.version, file.bytes,
                         file.sha256));
  output.put(
      fmt::format("process {}, {} processors, pointers of {} bytes\n"
                  "{} is tick {} of {} per second\n",
                  trace.process_id, trace.processors, trace.pointer_bytes, sync_time_text(trace),
                  trace.sync_qpc, trace.qpc_frequency));
  output.put("\nobjects\n");
  for (const auto& [type, count] : s.objects) {
    output.put(fmt::format("{:>12} {}\n", count, trace::visible(type)));
  }
  output.put(fmt::format("\nevents: {} with {} bytes of payload, of {} threads\n", s.events,
                         s.payload_bytes, s.threads.size()));
  for (const auto& [type, counts] : s.types) {
    const auto& [provider, id, name, version] = type;
    output.put(fmt::format("{:>12} {}/{}{}{} v{}, {} bytes\n", counts.events,
                           trace::visible(provider), id, name.empty() ? "" : " ",
                           trace::visible(name), version, counts.payload_bytes));
  }
  if (s.events_without_metadata != 0) {
    output.put(fmt::format("{:>12} of unknown type\n", s.events_without_metadata));
  }
  output.put(fmt::format("metadata records: {}\nstacks: {} with {} frames\n", s.metadata_records,
                         s.stacks.count, s.stacks.frames));
  if (is_netperf) return;  // without sequence numbers, dropped events are unknown
  output.put(fmt::format("sequence points: {}\n", s.sequence_points));
  const SequenceLedger::Counts& dropped = s.ledger.counts();
  output.put(fmt::format("dropped events: {}, of which sequence points report {}\n",
                         dropped.total(), dropped.sequence_point_gap));
}

}  // namespace ringside::tool::nettrace
