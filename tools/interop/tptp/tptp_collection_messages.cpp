#include "tools/interop/tptp/tptp_collection_messages.hpp"

#include "shm-layout/level.hpp"
#include "tools/interop/tptp/tptp_collection_text.hpp"
#include "tools/interop/tptp/tptp_message_table.hpp"
#include "tools/text/policy_name.hpp"

namespace ringside::tool::tptp {
namespace {

constexpr std::string_view kExclude = "EXCLUDE";
constexpr std::string_view kInclude = "INCLUDE";

void set_text(Message& message, std::string_view xml, std::string_view text) {
  message.texts[message.type->find(xml)] = text;
}

}  // namespace

void CollectionMessages::write(std::string_view trace_id, const trace::CollectedSegment& segment,
                               const trace::CollectedSpan& span, const NumberOf& number_of) {
  std::string text;
  append_collected(text, in_unix_time(segment, span, number_of));
  put_option(trace_id, kCollectedKey, text);
  // The same for other readers.
  const trace::CollectionState& state = span.state;
  for (const trace::CollectionChange& change : state.changes) {
    put_option(trace_id, "change", change.command);
  }
  put_option(trace_id, "level", shm::level_name(static_cast<shm::Level>(state.level)));
  if (state.overflow_policy != trace::CollectionState::kUnknownPolicy) {
    put_option(trace_id, "overflow",
               policy_name(static_cast<shm::OverflowPolicy>(state.overflow_policy)));
  }
  for (const trace::CollectionRule& rule : state.rules) {
    const auto [key, value] = rule_option(rule);
    put_option(trace_id, key, value);
  }
  for (const trace::CollectedStatement& statement : state.statements) {
    const trace::Site* const site = segment.sites->find(statement.site_id);
    if (site == nullptr) continue;
    put_filter(trace_id, *site,
               statement.state == trace::StatementState::kOn ? kInclude : kExclude);
  }
}

void CollectionMessages::put_option(std::string_view trace_id, std::string_view key,
                                    std::string_view value) {
  message_.start(*find_message_type(kOptionId));
  set_text(message_, "traceIdRef", trace_id);
  set_text(message_, "key", key);
  set_text(message_, "value", value);
  encoder_.put(message_);
}

// As classDef and methodDef name the statement.
void CollectionMessages::put_filter(std::string_view trace_id, const trace::Site& site,
                                    std::string_view mode) {
  message_.start(*find_message_type(kFilterId));
  set_text(message_, "traceIdRef", trace_id);
  set_text(message_, "pattern", site.category);
  set_text(message_, "mode", mode);
  set_text(message_, "methodPattern", site.name.empty() ? site.format : site.name);
  set_text(message_, "methodMode", mode);
  encoder_.put(message_);
}

}  // namespace ringside::tool::tptp
