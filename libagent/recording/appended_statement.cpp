#include "libagent/recording/appended_statement.hpp"

#include <string>

#include "libagent/recording/segment_growth.hpp"
#include "shm-layout/control_page.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kDictionaryRetryAfterNs = 100'000'000;  // after memory was refused
constexpr const char* kConsumerTooOld =
    "more than 64 fields need a newer consumerd; upgrade it: statement refused by";

}  // namespace

shm::LossCause refuse_statement(Agent& agent, const Segment& segment, const char* what,
                                shm::LossCause cause) {
  agent.message = std::string(what) + " " + segment.path;
  return cause;
}

std::optional<shm::LossCause> append_statement(Agent& agent, Segment& segment,
                                               StatementEntry& entry, const FieldTypes& types) {
  constexpr shm::LossCause kNoMemoryCause = shm::LossCause::kNoSharedMemory;
  const std::uint32_t id = next_statement_id(segment);
  if (entry.is_wide() && shm::refuses_wide_sites(segment.control->consumer)) {
    return refuse_statement(agent, segment, kConsumerTooOld);
  }
  const std::uint64_t at = segment.dictionary_committed;
  const std::size_t bytes = entry.bytes(at);
  if (entry.is_too_large()) {
    return refuse_statement(agent, segment, "a statement is too large for");
  }
  const bool has_room = at + bytes <= segment.dictionary_reserved && id < segment.switches_reserved;
  if (at + bytes > segment.layout.dictionary_bytes) {
    return refuse_statement(agent, segment, "the dictionary is full in");
  }
  // The message of the refusal stays valid until the retry.
  if (!has_room && monotonic_ns() < agent.dictionary_retry_at_ns) return kNoMemoryCause;
  GrowthFailure failure = reserve_dictionary(segment, at + bytes);
  if (!failure) failure = reserve_switches(segment, id);
  if (failure) {
    agent.dictionary_retry_at_ns = monotonic_ns() + kDictionaryRetryAfterNs;
    agent.message = message_of(failure, "the dictionary", segment.path);
    return kNoMemoryCause;
  }
  reserve_for_statement(segment, entry.site(), id);
  const bool was_too_old = entry.is_wide() && agent.message.starts_with(kConsumerTooOld);
  if (!has_room || was_too_old) agent.message.clear();
  if (segment.is_guarded) {
    segment.own_dictionary.resize(at + bytes);
    entry.write(segment.own_dictionary.data() + at);
  }
  entry.write(segment.dictionary + at);
  entry.note_tables();
  if (segment.shapes != nullptr) segment.shapes->add(id, types, entry.has_stack());
  shm::ServiceLine& line = segment.control->service;
  // Pairs with the consumer's acquire; a record of the site can only be published later.
  line.dictionary_committed_bytes.store(at + bytes, std::memory_order_release);
  // Pairs with the acquire of a tool, or of a consumer, which then reads the statement's switch.
  line.site_count.store(id, std::memory_order_release);
  segment.dictionary_committed = at + bytes;
  segment.site_count = id;
  return {};
}

}  // namespace ringside
