#include "tools/interop/tptp/tptp_own_records.hpp"

#include <algorithm>
#include <charconv>

#include "shm-layout/loss_cause.hpp"
#include "tools/interop/tptp/tptp_collection_text.hpp"

namespace ringside::tool::tptp {
namespace {

constexpr std::size_t kMostTraces = 10'000;

std::string_view text_of(const Message& message, std::string_view xml) {
  return message.texts[message.type->find(xml)];
}

std::int64_t number_of(const Message& message, std::string_view xml) {
  return message.numbers[message.type->find(xml)];
}

std::uint32_t uid_of(std::string_view parameters) {
  std::uint32_t uid = 0;
  if (parameters.starts_with(kUidParameter)) parameters.remove_prefix(kUidParameter.size());
  std::from_chars(parameters.data(), parameters.data() + parameters.size(), uid);
  return uid;
}

}  // namespace

OwnRecords::Trace* OwnRecords::find_trace(std::string_view id) {
  if (id == last_id_) return last_trace_;
  if (!id.starts_with(kOwnPrefix)) return nullptr;
  last_id_ = id;
  const auto found = traces_.find(last_id_);
  last_trace_ = found != traces_.end() && found->second.begun ? &found->second : nullptr;
  return last_trace_;
}

bool OwnRecords::take(const Message& message) {
  switch (message.type->id) {
    case kNodeId:
    case kProcessCreateId:
      return take_process_fact(message);
    case kAgentCreateId:
      return begin_trace(message);
    case kCustomId:
      return take_custom(message.texts[0]);
    case kClassDefId:
    case kMethodDefId:
    case kMethodExitId:
    case kTraceStartId:
    case kTraceEndId:
      // Written for other readers: Ringside's statements and records contain the same facts.
      return find_trace(message.texts[message.type->trace]) != nullptr;
    case kAgentDestroyId:
      return find_trace(message.texts[0]) != nullptr;
    default:
      break;
  }
  if (message.type->trace == MessageType::kNone) return false;
  Trace* const trace = find_trace(message.texts[message.type->trace]);
  if (trace == nullptr) return false;
  if (message.type->id == kThreadStartId) return take_thread(*trace, message);
  // Written for other readers, except for one key.
  if (message.type->id == kFilterId) return true;
  if (message.type->id == kOptionId) {
    return text_of(message, "key") != kCollectedKey ||
           take_collection(*trace, text_of(message, "value"));
  }
  return message.type->id == kMethodEntryId && take_span(*trace, message);
}

// Comes before the agent, which names the process.
bool OwnRecords::take_process_fact(const Message& message) {
  const std::string_view id = message.texts[0];
  if (!id.starts_with(kOwnPrefix) || traces_.size() >= kMostTraces) return false;
  Trace& trace = traces_[std::string(id)];
  if (message.type->id == kNodeId) {
    trace.definition.host = text_of(message, "hostname");
    return true;
  }
  trace.definition.service = text_of(message, "name");
  trace.definition.executable = text_of(message, "executable");
  trace.definition.pid = static_cast<std::uint32_t>(number_of(message, "pid"));
  trace.definition.start_unix_ns = message.time.nearest_unix_ns();
  return true;
}

bool OwnRecords::begin_trace(const Message& message) {
  const auto found = traces_.find(std::string(text_of(message, "agentId")));
  if (found == traces_.end() || text_of(message, "agentName") != kOwnAgentName) return false;
  Trace& trace = found->second;
  if (trace.begun) return true;
  trace.definition.uid = uid_of(text_of(message, "agentParameters"));
  trace.process = placement_.add_process(trace.definition);
  trace.begun = true;
  last_id_.clear();
  last_trace_ = nullptr;
  return true;
}

bool OwnRecords::take_thread(Trace& trace, const Message& message) {
  const auto number = static_cast<std::uint64_t>(message.numbers[message.type->thread]);
  const std::string_view name = text_of(message, "threadName");
  const auto found = trace.streams.find(number);
  if (found != trace.streams.end()) {
    builder_.name_thread(found->second, name);
    return true;
  }
  const auto thread_id = static_cast<std::uint32_t>(number_of(message, "transientThreadId"));
  trace.streams.emplace(number,
                        placement_.add_stream(trace.process, {thread_id, std::string(name)}));
  return true;
}

std::uint32_t OwnRecords::stream_of(Trace& trace, std::uint64_t number) {
  const auto found = trace.streams.find(number);
  if (found != trace.streams.end()) return found->second;
  const std::uint32_t stream = placement_.add_stream(trace.process, {});
  trace.streams.emplace(number, stream);
  return stream;
}

bool OwnRecords::take_custom(std::string_view body) {
  if (!body.starts_with(kOwnPrefix)) return false;
  RecordText text(body);
  Trace* const trace = find_trace(text.word());
  if (trace == nullptr) return false;
  const std::string_view word = text.word();
  if (word == kRecordWord) return take_record(*trace, text);
  if (word == kSiteWord) return take_site(*trace, text);
  return word == kLossWord && take_loss(*trace, text);
}

bool OwnRecords::take_site(Trace& trace, RecordText& text) {
  const auto number = text.number<std::uint64_t>();
  const SiteDefinition definition = text.definition();
  if (!text.done() || builder_.sites() >= TraceBuilder::kMostSites) return false;
  Site& site = trace.sites[number];
  site.id = builder_.add_site(definition);
  site.types.clear();
  for (const FieldDefinition& field : definition.fields) {
    if (!field.constant) site.types.push_back(field.type);
  }
  return true;
}

bool OwnRecords::take_record(Trace& trace, RecordText& text) {
  const auto site = text.number<std::uint64_t>();
  const auto stream = text.number<std::uint64_t>();
  const auto unix_ns = text.number<std::uint64_t>();
  return add(trace, stream, site, unix_ns, text);
}

bool OwnRecords::take_span(Trace& trace, const Message& message) {
  RecordText text(message.texts[message.type->find("collationValue")]);
  return add(trace, static_cast<std::uint64_t>(message.numbers[message.type->thread]),
             static_cast<std::uint64_t>(number_of(message, "methodIdRef")),
             message.time.nearest_unix_ns(), text);
}

bool OwnRecords::add(Trace& trace, std::uint64_t stream, std::uint64_t site, std::uint64_t unix_ns,
                     RecordText& text) {
  const auto found = trace.sites.find(site);
  if (found == trace.sites.end()) return false;
  const trace::RecordExtension extension = text.extension();
  values_.clear();
  for (const shm::FieldType type : found->second.types) text.value(type, values_);
  if (!text.done()) return false;
  builder_.begin(stream_of(trace, stream), found->second.id, unix_ns, extension);
  builder_.put_values(values_);
  builder_.end();
  return true;
}

bool OwnRecords::take_collection(Trace& trace, std::string_view text) {
  CollectedInUnixTime collected;
  if (!take_collected(text, collected)) return false;
  const auto move = [&trace](std::uint32_t& site_id) {
    const auto found = trace.sites.find(site_id);
    site_id = found == trace.sites.end() ? 0 : found->second.id;
    return site_id == 0;
  };
  std::vector<trace::CollectedStatement>& statements = collected.state.statements;
  std::erase_if(statements, [&](auto& statement) { return move(statement.site_id); });
  std::sort(statements.begin(), statements.end(),
            [](const auto& a, const auto& b) { return a.site_id < b.site_id; });
  std::erase_if(collected.effects, [&](auto& effect) { return move(effect.site_id); });
  return builder_.collected(trace.process, collected.state, collected.effects);
}

bool OwnRecords::take_loss(Trace& trace, RecordText& text) {
  const auto stream = text.number<std::uint64_t>();
  const auto unix_ns = text.number<std::uint64_t>();
  const auto count = text.number<std::uint64_t>();
  const auto cause = text.number<std::uint32_t>();
  if (!text.done() || cause > static_cast<std::uint32_t>(shm::kLastLossCause)) return false;
  builder_.lost(stream_of(trace, stream), unix_ns, count, static_cast<shm::LossCause>(cause));
  return true;
}

}  // namespace ringside::tool::tptp
