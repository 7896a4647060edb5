#include "tools/interop/ctf/ctf_identities.hpp"

#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/interop/ctf/ctf_names.hpp"

namespace ringside::tool::ctf {
namespace {

// Keys of streams without a thread begin after all thread ids.
constexpr std::uint64_t kInstances = std::uint64_t{1} << 32;

constexpr const char* kMoreProcesses =
    "are in the process '(other processes)': a trace has at most 200 named processes";
constexpr const char* kMoreStreams = "are in another thread: a trace has at most 100000 threads";

std::string entry(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.env.find(key);
  return found == metadata.env.end() ? std::string() : found->second;
}

std::uint32_t number(const std::string& text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

Identities::Identities(Trace& trace, TraceBuilder& builder, BuilderRoom& room,
                       ConversionReport& report)
    : trace_(trace),
      builder_(builder),
      room_(room),
      report_(report),
      is_ours_(entry(trace.metadata(), "tracer_name") == kTracerName) {}

Identities::Contexts& Identities::contexts_of(StreamReader& stream) {
  const auto [place, is_new] = contexts_.try_emplace(&stream);
  Contexts& contexts = place->second;
  if (!is_new) return contexts;
  Node& node = stream.layout.event_context;
  LayoutMaker& layouts = trace_.layouts();
  for (const char* const name : {"vpid", "pid"}) {
    if (contexts.pid == kNone) contexts.pid = layouts.slot_of(node, name);
  }
  for (const char* const name : {"vtid", "tid"}) {
    if (contexts.tid == kNone) contexts.tid = layouts.slot_of(node, name);
  }
  std::uint32_t next = 0;
  std::vector<Column> columns = columns_of(node, "", next);
  for (Column& column : columns) {
    const std::string& name = column.field.name;
    const bool is_number = name == "vpid" || name == "pid" || name == "vtid" || name == "tid";
    if (name == "procname" && column.field.type == shm::FieldType::string) {
      contexts.name = column.index;
    } else if (!is_number) {
      contexts.others.push_back(std::move(column));
    }
  }
  if (Node* const cpu = find_plain_member(stream.layout.packet_context, "cpu_id");
      cpu != nullptr && (cpu->kind == TypeKind::kInteger || cpu->kind == TypeKind::kEnum)) {
    if (is_ours_ && cpu->kind == TypeKind::kInteger) {
      contexts.packet_processor = layouts.slot_of(stream.layout.packet_context, "cpu_id");
    } else {
      std::vector<Column> column = columns_of(*cpu, "cpu_id", next);
      contexts.others.insert(contexts.others.end(), column.begin(), column.end());
    }
  }
  // For losses that occur before the file's first event.
  if (Node* const name = find_plain_member(stream.layout.packet_context, "ringside_thread_name");
      is_ours_ && name != nullptr && name->kind == TypeKind::kString) {
    contexts.packet_name = columns_of(*name, "", next).front().index;
  }
  contexts.columns_end = next;
  return contexts;
}

std::uint32_t Identities::process_of(std::uint32_t pid) {
  const auto [place, is_new] = processes_.try_emplace(pid, 0);
  if (!is_new) return place->second;
  const Metadata& metadata = trace_.metadata();
  ProcessDefinition process;
  process.pid = pid;
  process.service = entry(metadata, "procname");
  if (process.service.empty()) process.service = entry(metadata, "tracer_name");
  if (process.service.empty()) process.service = "ctf";
  process.host = entry(metadata, "hostname");
  return place->second = add_process(process);
}

std::uint32_t Identities::add_process(const ProcessDefinition& process) {
  if (room_.processes == 0) return others_ = builder_.process_of_others();
  --room_.processes;
  return builder_.add_process(process);
}

std::uint32_t Identities::own_process() {
  if (own_process_ == kNone) own_process_ = process_of(number(entry(trace_.metadata(), "vpid")));
  return own_process_;
}

std::uint32_t Identities::process_of_ours(std::uint32_t number) {
  const auto [place, is_new] = processes_.try_emplace(kInstances + number, 0);
  if (!is_new) return place->second;
  ProcessDefinition process;
  try {
    const auto json =
        nlohmann::json::parse(entry(trace_.metadata(), fmt::format("{}{}", kProcessEntry, number)));
    process.pid = json.at("pid").get<std::uint32_t>();
    process.uid = json.at("uid").get<std::uint32_t>();
    process.start_unix_ns = json.at("start_unix_ns").get<std::uint64_t>();
    process.service = json.at("service").get<std::string>();
    process.executable = json.at("executable").get<std::string>();
    process.host = json.at("host").get<std::string>();
  } catch (const nlohmann::json::exception&) {
    process.service = kTracerName;
  }
  return place->second = add_process(process);
}

Identities::Thread& Identities::thread_of(std::uint32_t process, std::uint64_t key,
                                          std::uint32_t tid, std::string_view name) {
  const auto [place, is_new] = threads_.try_emplace({process, key});
  Thread& thread = place->second;
  if (is_new) {
    if (room_.streams != 0) {
      --room_.streams;
      thread.stream = builder_.add_stream(process, {tid, std::string(name)});
      if (process == others_) thread.misplacement = kMoreProcesses;
    } else {
      thread.misplacement = kMoreStreams;
    }
    thread.name = name;
  } else if (!name.empty() && thread.name != name) {
    thread.name = name;
    builder_.name_thread(thread.stream, name);
  }
  return thread;
}

void Identities::prepare(StreamReader& stream, Decoder& decoder) {
  decoder.make_room(trace_.layouts().slots(), contexts_of(stream).columns_end);
}

void Identities::begin_packet(StreamReader& stream, const Packet& packet, Decoder& decoder) {
  here_ = &contexts_of(stream);
  packet_ = &packet;
  last_ = nullptr;
  const bool is_lttng = entry(trace_.metadata(), "tracer_name").starts_with("lttng");
  cause_ = is_lttng ? shm::LossCause::kRingFull : shm::LossCause::kUnknown;
  own_ = nullptr;
  own_thread_ = kNone;
  own_name_ = trace_.files()[packet.file];
  if (is_ours_ && stream.process != kNone) {
    const auto told = static_cast<std::uint32_t>(decoder.slot(stream.loss_cause));
    if (told <= static_cast<std::uint32_t>(shm::kLastLossCause))
      cause_ = static_cast<shm::LossCause>(told);
    own_process_ = process_of_ours(static_cast<std::uint32_t>(decoder.slot(stream.process)));
    own_thread_ = static_cast<std::uint32_t>(decoder.slot(stream.thread));
    processor_ = 0;
    if (here_->packet_processor != kNone) {
      const std::uint64_t number = decoder.slot(here_->packet_processor);
      if (number < shm::kMaxProcessorCode) {
        processor_ = shm::processor_code(static_cast<std::uint32_t>(number));
      }
    }
    if (here_->packet_name != kNone) own_name_ = decoder.column(here_->packet_name).text;
  } else {
    own_process_ = kNone;
    processor_ = 0;
  }
}

Identities::Thread& Identities::thread_of_packet() {
  const std::uint32_t tid = own_thread_ == kNone ? 0 : own_thread_;
  return thread_of(own_process(), packet_->instance + kInstances, tid, own_name_);
}

// The stream for a record.
std::uint32_t Identities::take(const Thread& thread) {
  if (thread.misplacement != nullptr) [[unlikely]]
    report_.lost(thread.misplacement);
  return thread.stream;
}

std::uint32_t Identities::stream_of_event(const Decoder& decoder) {
  if (here_->tid == kNone && here_->pid == kNone) {
    if (own_ == nullptr) own_ = &thread_of_packet();
    return take(*own_);
  }
  const std::uint64_t pid = decoder.slot(here_->pid);
  const std::uint64_t tid = decoder.slot(here_->tid);
  const std::string_view name =
      here_->name == kNone ? std::string_view() : decoder.column(here_->name).text;
  if (last_ != nullptr && last_pid_ == pid && last_tid_ == tid && last_->name == name)
    return take(*last_);
  last_pid_ = pid;
  last_tid_ = tid;
  if (own_thread_ != kNone) {
    last_ = &thread_of(own_process_, packet_->instance + kInstances, own_thread_, name);
  } else if (here_->tid == kNone) {
    last_ = &thread_of(process_of(static_cast<std::uint32_t>(pid)), packet_->instance + kInstances,
                       0, own_name_);
  } else {
    const std::uint32_t process =
        here_->pid == kNone ? own_process() : process_of(static_cast<std::uint32_t>(pid));
    last_ =
        &thread_of(process, static_cast<std::uint32_t>(tid), static_cast<std::uint32_t>(tid), name);
  }
  return take(*last_);
}

}  // namespace ringside::tool::ctf
