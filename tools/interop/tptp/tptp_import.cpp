#include "tools/interop/tptp/tptp_import.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tools/interop/tptp/tptp_binary_reader.hpp"
#include "tools/interop/tptp/tptp_inspect.hpp"
#include "tools/interop/tptp/tptp_method_spans.hpp"
#include "tools/interop/tptp/tptp_native_site.hpp"
#include "tools/interop/tptp/tptp_own_records.hpp"
#include "tools/interop/tptp/tptp_placement.hpp"
#include "tools/interop/tptp/tptp_trace_settings.hpp"
#include "tools/interop/tptp/tptp_xml_reader.hpp"

namespace ringside::tool::tptp {
namespace {

// More ids than any useful trace has.
constexpr std::size_t kMostIds = 100'000;
constexpr std::size_t kMostIdBytes = 4096;
// Limit of nodes that wait for a process.
constexpr std::size_t kMostNodes = 1000;
constexpr std::size_t kMostNodeBytes = std::size_t{1} << 20;
constexpr std::uint32_t kAnySite = 1;  // of a record that is withdrawn
// The latest time of a trace: the year 2262.
constexpr std::uint64_t kLastUnixNs = std::numeric_limits<std::int64_t>::max();

// A node's message, which precedes the process that it belongs to.
struct Node {
  std::array<std::string, 3> texts;
  std::int64_t time_zone = 0;
  std::uint64_t unix_ns = 0;
};

class Importer {
 public:
  Importer(TraceBuilder& builder, ConversionReport& report, Placement& placement)
      : builder_(builder),
        report_(report),
        placement_(placement),
        own_(builder, placement),
        calls_(builder, report),
        settings_(builder, report) {}

  void add(const Message& message) {
    if (own_.take(message)) return;
    if (message.type->id == kNodeId) return keep_node(message);
    if (message.type->id == kProcessCreateId) begin_process(message);
    note_ids(message);
    const std::size_t process = process_of(message);
    const bool is_definition = message.type->id == kClassDefId || message.type->id == kMethodDefId;
    if (is_definition) calls_.define(message, process);
    if (message.type->id == kFilterId || message.type->id == kOptionId) {
      settings_.add(message, processes_[process].index);
    }
    put(message, process, time_of(message.time));
    settings_.settle(last_unix_ns_);
  }

  void end() {
    if (!nodes_.empty()) process();
    calls_.end();
    settings_.end();
  }

 private:
  struct Process {
    std::uint32_t index = 0;
    std::unordered_map<std::int64_t, std::uint32_t> streams;  // by thread; 0: without a thread
  };
  using Ids = std::unordered_map<std::string, std::size_t>;

  std::uint64_t time_of(const Time& time) {
    if (time.negative) report_.lost("times before 1970 became 0");
    const std::uint64_t unix_ns = time.nearest_unix_ns();
    if (unix_ns <= kLastUnixNs) return unix_ns;
    report_.lost("times after 2262 became the last possible one");
    return kLastUnixNs;
  }

  void keep_node(const Message& message) {
    if (nodes_.size() >= kMostNodes || node_bytes_ >= kMostNodeBytes) process();
    for (std::size_t i = 0; i < 3; ++i) node_bytes_ += message.texts[i].size();
    nodes_.push_back({{std::string(message.texts[0]), std::string(message.texts[1]),
                       std::string(message.texts[2])},
                      message.numbers[3],
                      time_of(message.time)});
  }

  void begin_process(const Message& message) {
    ProcessDefinition process;
    process.pid = static_cast<std::uint32_t>(message.numbers[2]);
    process.start_unix_ns = std::min(message.time.nearest_unix_ns(), kLastUnixNs);
    process.service = message.texts[1].empty() ? kCategory : message.texts[1];
    process.executable = message.texts[5];
    const std::string node(message.texts[3]);
    const auto host = hosts_.find(node);
    if (host != hosts_.end()) process.host = host->second;
    for (const Node& known : nodes_) {
      if (known.texts[0] == node) process.host = known.texts[1];
    }
    add_process(process);
  }

  // The process of messages that do not name one.
  std::size_t process() {
    if (processes_.empty() || !nodes_.empty()) {
      if (processes_.empty()) {
        ProcessDefinition unknown;
        unknown.service = kCategory;
        if (!nodes_.empty()) unknown.host = nodes_.back().texts[1];
        add_process(unknown);
      } else {
        put_nodes();
      }
    }
    return processes_.size() - 1;
  }

  void add_process(const ProcessDefinition& definition) {
    const std::uint32_t index = placement_.add_process(definition);
    if (processes_.size() < TraceBuilder::kMostProcesses) processes_.push_back({index, {}});
    put_nodes();
  }

  void put_nodes() {
    const std::vector<Node> nodes = std::move(nodes_);
    nodes_.clear();
    node_bytes_ = 0;
    Message message;
    for (const Node& node : nodes) {
      if (hosts_.size() < kMostIds && node.texts[0].size() <= kMostIdBytes) {
        hosts_[node.texts[0]] = node.texts[1].substr(0, kMostIdBytes);
      }
      message.start(*find_message_type(kNodeId));
      for (std::size_t i = 0; i < node.texts.size(); ++i) message.texts[i] = node.texts[i];
      message.numbers[3] = node.time_zone;
      put(message, processes_.size() - 1, node.unix_ns);
    }
  }

  // Processes have agents, agents have traces, and messages name a trace.
  void note_ids(const Message& message) {
    const auto note = [](Ids& ids, std::string_view id, std::size_t process) {
      if (ids.size() < kMostIds && id.size() <= kMostIdBytes) ids[std::string(id)] = process;
    };
    const auto look_up = [this](const Ids& ids, std::string_view id) {
      const auto found = ids.find(std::string(id));
      return found == ids.end() ? process() : found->second;
    };
    switch (message.type->id) {
      case kProcessCreateId:
        return note(ids_of_processes_, message.texts[0], process());
      case kAgentCreateId:
        return note(agents_, message.texts[0], look_up(ids_of_processes_, message.texts[1]));
      case kTraceStartId:
        return note(traces_, message.texts[0], look_up(agents_, message.texts[1]));
      default:
        return;
    }
  }

  std::size_t process_of(const Message& message) {
    if (message.type->trace != MessageType::kNone) {
      const std::string_view trace = message.texts[message.type->trace];
      if (!trace.empty() && processes_.size() > 1) {
        const auto found = traces_.find(std::string(trace));
        if (found != traces_.end()) return found->second;
      }
    }
    return process();
  }

  std::uint32_t stream_of(Process& process, const Message& message) {
    const std::int64_t thread =
        message.type->thread == MessageType::kNone ? 0 : message.numbers[message.type->thread];
    auto found = process.streams.find(thread);
    if (found == process.streams.end()) {
      const auto id = static_cast<std::uint32_t>(thread);
      const bool is_new = placement_.has_room_for_stream();
      const std::uint32_t stream = placement_.add_stream(process.index, {id, {}});
      if (!is_new) return stream;
      found = process.streams.emplace(thread, stream).first;
    }
    if (message.type->id == kThreadStartId) {
      builder_.name_thread(found->second, message.texts[message.type->find("threadName")]);
    }
    return found->second;
  }

  // Messages without a time get that of the previous message, with an offset that keeps their
  // order.
  void put(const Message& message, std::size_t process, std::uint64_t unix_ns) {
    const std::uint32_t stream = stream_of(processes_[process], message);
    if (message.type->time == MessageType::kNone) {
      const bool is_moved = stream < last_stream_ || last_was_entry_;
      unix_ns = last_unix_ns_ + (is_moved && last_unix_ns_ != kLastUnixNs ? 1 : 0);
    }
    const bool is_entry = message.type->id == kMethodEntryId;
    last_unix_ns_ = unix_ns;
    last_stream_ = stream;
    last_was_entry_ = is_entry;
    const std::uint32_t site = is_entry ? kAnySite : placement_.site_of(*message.type);
    if (site == 0)
      return report_.lost("is left out: a trace has at most about a million statements");
    builder_.begin(stream, site, unix_ns);
    for (std::size_t i = 0; i < message.type->attributes.size(); ++i) {
      put_attribute(message, i);
    }
    if (is_entry) return calls_.enter(message, process, stream, unix_ns, builder_.withdraw());
    builder_.end();
    if (message.type->id == kMethodExitId) calls_.leave(message, process, unix_ns);
  }

  void put_attribute(const Message& message, std::size_t i) {
    using shm::FieldType;
    switch (field_type_of(*message.type, i)) {
      case FieldType::i8:
        return builder_.put(static_cast<std::int8_t>(message.numbers[i]));
      case FieldType::i32:
        return builder_.put(static_cast<std::int32_t>(message.numbers[i]));
      case FieldType::i64:
        return builder_.put(message.numbers[i]);
      case FieldType::string:
        return builder_.put_text(message.texts[i]);
      case FieldType::none:
        return;
      default:
        break;
    }
    const auto count = static_cast<std::uint32_t>(message.frame_methods.size());
    if (message.type->attributes[i].type == AttributeType::kLongs) {
      const std::vector<std::int64_t>& lines = message.frame_lines;
      return builder_.put_array(
          {reinterpret_cast<const char*>(lines.data()), lines.size() * sizeof lines[0]}, count,
          sizeof lines[0]);
    }
    elements_.clear();
    for (const std::string_view method : message.frame_methods) {
      const auto bytes = static_cast<std::uint32_t>(method.size());
      elements_.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
      elements_ += method;
    }
    builder_.put_array(elements_, count, 0);
  }

  TraceBuilder& builder_;
  ConversionReport& report_;
  Placement& placement_;
  OwnRecords own_;
  MethodSpans calls_;
  TraceSettings settings_;
  std::vector<Process> processes_;
  std::vector<Node> nodes_;  // not yet followed by a process
  std::size_t node_bytes_ = 0;
  std::unordered_map<std::string, std::string> hosts_;
  Ids ids_of_processes_;
  Ids agents_;
  Ids traces_;
  std::uint64_t last_unix_ns_ = 0;
  std::uint32_t last_stream_ = 0;
  bool last_was_entry_ = false;  // which is not added to the trace at once
  std::string elements_;
};

ReadOutcome import_messages(MessageReader& reader, TraceBuilder& builder, ConversionReport& report,
                            Placement& placement) {
  Importer importer(builder, report, placement);
  Message message;
  std::uint64_t unknown = 0;
  std::uint64_t bad = 0;
  for (Step step = reader.next(message); step != Step::kEnd; step = reader.next(message)) {
    if (step == Step::kMessage) importer.add(message);
    unknown += step == Step::kUnknown ? 1 : 0;
    bad += step == Step::kBad ? 1 : 0;
  }
  importer.end();
  ReadOutcome outcome = reader.outcome();
  if (unknown != 0) {
    outcome.warnings.push_back(fmt::format("{} messages are of unknown kinds", unknown));
  }
  if (bad != 0) {
    outcome.warnings.push_back(
        fmt::format("{} messages are damaged and left out; `ringcat inspect` shows them", bad));
  }
  return outcome;
}

}  // namespace

ReadOutcome read_binary(InputBytes& input, TraceBuilder& builder, ConversionReport& report) {
  BinaryReader reader(input);
  Placement placement(builder, report);
  return import_messages(reader, builder, report, placement);
}

ReadOutcome read_xml(InputBytes& input, TraceBuilder& builder, ConversionReport& report) {
  XmlReader reader(input);
  Placement placement(builder, report);
  return import_messages(reader, builder, report, placement);
}

ReadOutcome read_either_form(InputBytes& input, TraceBuilder& builder, ConversionReport& report,
                             Placement& placement) {
  if (recognise_binary(input.peek(kMagic.size()))) {
    BinaryReader reader(input);
    return import_messages(reader, builder, report, placement);
  }
  XmlReader reader(input);
  return import_messages(reader, builder, report, placement);
}

}  // namespace ringside::tool::tptp
