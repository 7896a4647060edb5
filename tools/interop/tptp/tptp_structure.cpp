#include "tools/interop/tptp/tptp_structure.hpp"

#include <limits>

#include "tools/interop/tptp/tptp_own_records.hpp"

namespace ringside::tool::tptp {

void set(Message& message, std::string_view xml, std::string_view text) {
  message.texts[message.type->find(xml)] = text;
}

void set(Message& message, std::string_view xml, std::int64_t number) {
  message.numbers[message.type->find(xml)] = number;
}

Message& StructureMessages::start(std::uint16_t type, std::uint64_t unix_ns) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (unix_ns > kMost) {
    report_.lost("times after 2262 became the last of that year: they have 64 bits with a sign");
  }
  message_.start(*find_message_type(type));
  message_.set_time(unix_ns);
  return message_;
}

void StructureMessages::begin_process(const trace::SegmentInfo& segment, const std::string& id) {
  const std::uint64_t since = segment.start_realtime_ns;
  start(kNodeId, since);
  set(message_, "nodeId", id);
  set(message_, "hostname", segment.host);
  encoder_.put(message_);
  start(kProcessCreateId, since);
  set(message_, "processId", id);
  set(message_, "name", segment.service);
  set(message_, "pid", static_cast<std::int32_t>(segment.pid));
  set(message_, "nodeIdRef", id);
  set(message_, "executable", segment.executable);
  encoder_.put(message_);
  start(kAgentCreateId, since);
  const std::string parameters = std::string(kUidParameter) + std::to_string(segment.uid);
  set(message_, "agentId", id);
  set(message_, "processIdRef", id);
  set(message_, "agentName", kOwnAgentName);
  set(message_, "agentType", "Logger");
  set(message_, "agentParameters", parameters);
  set(message_, "version", "1");
  encoder_.put(message_);
  start(kTraceStartId, since);
  set(message_, "traceId", id);
  set(message_, "agentIdRef", id);
  encoder_.put(message_);
}

void StructureMessages::end_process(const std::string& id, std::uint64_t unix_ns) {
  start(kTraceEndId, unix_ns);
  set(message_, "traceIdRef", id);
  encoder_.put(message_);
  start(kAgentDestroyId, unix_ns);
  set(message_, "agentIdRef", id);
  encoder_.put(message_);
}

void StructureMessages::begin_thread(const std::string& process, std::uint64_t number,
                                     const trace::StreamInfo& stream, std::uint64_t unix_ns) {
  start(kThreadStartId, unix_ns);
  set(message_, "transientThreadId", stream.thread_id);
  set(message_, "threadId", static_cast<std::int64_t>(number));
  set(message_, "threadName", stream.thread_name);
  set(message_, "traceIdRef", process);
  encoder_.put(message_);
}

std::uint64_t StructureMessages::define_method(const std::string& process, std::uint64_t number,
                                               const trace::Site& site, std::uint64_t unix_ns) {
  std::uint64_t& of_class = classes_[process + '\n' + site.category + '\n' + site.file];
  if (of_class == 0) {
    of_class = classes_.size();
    start(kClassDefId, unix_ns);
    set(message_, "classId", static_cast<std::int64_t>(of_class));
    set(message_, "sourceName", site.file);
    set(message_, "name", site.category);
    set(message_, "traceIdRef", process);
    encoder_.put(message_);
  }
  start(kMethodDefId, unix_ns);
  set(message_, "name", site.name.empty() ? site.format : site.name);
  set(message_, "startLineNumber", site.line);
  set(message_, "endLineNumber", site.line);
  set(message_, "classIdRef", static_cast<std::int64_t>(of_class));
  set(message_, "methodId", static_cast<std::int64_t>(number));
  set(message_, "traceIdRef", process);
  encoder_.put(message_);
  return of_class;
}

}  // namespace ringside::tool::tptp
