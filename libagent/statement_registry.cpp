#include "libagent/statement_registry.hpp"

#include <array>
#include <cstring>
#include <exception>
#include <string_view>

#include "libagent/argument_names.hpp"
#include "libagent/segment_file.hpp"
#include "libagent/slow_call.hpp"
#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/format_style.hpp"
#include "shm-layout/printf_fields.hpp"
#include "shm-layout/record_head.hpp"
#include "shm-layout/site_switch.hpp"

namespace ringside {
namespace {

constexpr std::size_t kMaxTextBytes = 64U << 10;
constexpr std::uint64_t kDictionaryRetryAfterNs = 100'000'000;  // after a refusal of memory

std::string_view bounded(const char* text) {
  if (text == nullptr) return {};
  return {text, strnlen(text, kMaxTextBytes)};
}

// The C front end cannot read its format at compile time; this does it once, before the id is
// published and so before anybody else looks at the fields.
bool read_fields_from_format(rs_site& site) {
  const shm::FieldList list = shm::printf_fields(bounded(site.format));
  if (!list.ok()) return false;
  for (std::uint32_t i = 0; i < list.count; ++i) {
    const shm::PrintfField& f = list[i];
    site.fields[i] = {static_cast<std::uint8_t>(f.type),
                      static_cast<std::uint8_t>(f.role != shm::PrintfRole::value),
                      static_cast<std::uint8_t>(f.wide), f.precision_field, f.precision_literal};
  }
  site.field_count = static_cast<std::uint8_t>(list.count);
  return true;
}

// Under the slow-path lock, which orders this with registrations by other threads.
bool is_registered(const rs_site& site) {
  return __atomic_load_n(&site.state, __ATOMIC_RELAXED) != &rs_initial_switch;
}

std::uint8_t switch_for(const rs_site& site, std::uint8_t level) {
  if (site.level < level) return shm::kSwitchOff;
  return (site.flags & RS_SITE_CONSUMER_CLOCK) != 0 ? shm::kSwitchOnConsumerClock : shm::kSwitchOn;
}

}  // namespace

bool register_statement(Agent& agent, rs_site& site) {
  if (is_registered(site)) return true;
  Segment& segment = *agent.segment.load(std::memory_order_relaxed);
  shm::ServiceLine& line = segment.control->service;
  const std::uint32_t id = segment.site_count + 1;
  const auto refuse = [&](const char* what) {
    segment.control->losses.dictionary_full.fetch_add(1, std::memory_order_relaxed);
    agent.message = std::string(what) + " " + segment.path;
    return false;
  };
  constexpr const char* kNoMemory =
      "no memory for the dictionary (enlarge the shared-memory file system; in a container: "
      "--shm-size) of";
  if (id >= segment.layout.site_capacity || id > shm::kMaxSiteId) {
    return refuse("too many statements for");
  }
  if (site.fields_from_format != 0 && !read_fields_from_format(site)) {
    return refuse("a format that cannot be read was refused by");
  }

  shm::SiteDescription description;
  description.site_id = id;
  if (agent.options.clock == Clock::consumer) site.flags |= RS_SITE_CONSUMER_CLOCK;
  if ((site.flags & RS_SITE_CONSUMER_CLOCK) != 0) description.flags |= shm::kSiteConsumerClock;
  description.line = site.line;
  description.level = static_cast<shm::Level>(site.level);
  description.format_style = static_cast<std::uint8_t>(shm::FormatStyle::printf);
  description.format = bounded(site.format);
  description.file = bounded(site.file);
  description.function = bounded(site.function);
  std::array<std::string_view, RS_MAX_FIELDS> names;
  split_argument_names(bounded(site.arguments), std::span(names).first(site.field_count));
  std::array<shm::FieldDescription, RS_MAX_FIELDS> fields;
  for (std::size_t i = 0; i < site.field_count; ++i) {
    fields[i].type = static_cast<shm::FieldType>(site.fields[i].type);
    fields[i].flags = site.fields[i].is_format_arg != 0 ? shm::kFieldFormatArg : std::uint8_t{0};
    fields[i].name = names[i];
  }
  const auto used = std::span(fields).first(site.field_count);
  const std::size_t bytes = shm::site_entry_bytes(description, used);
  const std::uint64_t at = segment.dictionary_committed;
  if (bytes > shm::kMaxEntryBytes) return refuse("a statement is too large for");
  const bool has_room = at + bytes <= segment.dictionary_reserved;
  if (!has_room && monotonic_ns() < agent.dictionary_retry_at_ns) return refuse(kNoMemory);
  if (!reserve_dictionary(segment, at + bytes)) {
    agent.dictionary_retry_at_ns = monotonic_ns() + kDictionaryRetryAfterNs;
    return refuse(kNoMemory);
  }
  if (!has_room) agent.message.clear();
  shm::write_site_entry(description, used, segment.dictionary + at);
  // Pairs with the consumer's acquire; a record of the site can only be published later.
  line.dictionary_committed_bytes.store(at + bytes, std::memory_order_release);
  line.site_count.store(id, std::memory_order_relaxed);
  segment.dictionary_committed = at + bytes;
  segment.site_count = id;
  segment.switches[id] = switch_for(site, agent.level.load(std::memory_order_relaxed));
  site.id = id;
  // Pairs with the acquire in rs_site_enabled: whoever finds its switch there sees id and fields.
  __atomic_store_n(&site.state, &segment.switches[id], __ATOMIC_RELEASE);
  return true;
}

void register_loaded_statements(Agent& agent) {
  for (rs_site* site = agent.sites; site != nullptr; site = site->next) {
    register_statement(agent, *site);
  }
}

void apply_level(Agent& agent, std::uint8_t level) {
  agent.level.store(level, std::memory_order_relaxed);
  Segment* const segment = agent.segment.load(std::memory_order_relaxed);
  if (segment == nullptr) return;
  segment->control->service.level.store(level, std::memory_order_relaxed);
  for (const rs_site* site = agent.sites; site != nullptr; site = site->next) {
    if (!is_registered(*site)) continue;
    __atomic_store_n(&segment->switches[site->id], switch_for(*site, level), __ATOMIC_RELAXED);
  }
}

void forget_registrations(Agent& agent) {
  for (rs_site* site = agent.sites; site != nullptr; site = site->next) {
    __atomic_store_n(&site->state, &rs_initial_switch, __ATOMIC_RELAXED);
  }
}

namespace {

std::uint8_t enabled_or_throw(rs_site* site) {
  const SlowCall call;
  Agent& a = agent();
  if (a.state.load(std::memory_order_relaxed) == State::failed &&
      monotonic_ns() < a.retry_at_ns.load(std::memory_order_relaxed)) {
    a.refused.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  const SlowPathLock lock;
  if (!ensure_segment(a)) {
    if (a.state.load(std::memory_order_relaxed) != State::disabled) {
      a.refused.fetch_add(1, std::memory_order_relaxed);
    }
    return 0;
  }
  if (!register_statement(a, *site)) {
    a.refused.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  const std::uint8_t state = __atomic_load_n(site->state, __ATOMIC_RELAXED);
  return state == shm::kSwitchOn || state == shm::kSwitchOnConsumerClock ? state : shm::kSwitchOff;
}

}  // namespace
}  // namespace ringside

using ringside::Agent;
using ringside::agent;
using ringside::SlowPathLock;

void rs_site_loaded(rs_site* site) {
  const SlowPathLock lock;
  Agent& a = agent();
  if (site->previous != nullptr || a.sites == site) return;
  site->next = a.sites;
  if (a.sites != nullptr) a.sites->previous = site;
  a.sites = site;
  if (a.state.load(std::memory_order_relaxed) != ringside::State::live) return;
  try {
    ringside::register_statement(a, *site);
  } catch (const std::exception&) {  // no memory for a message: its first log call tries again
  }
}

void rs_site_unloaded(rs_site* site) {
  const SlowPathLock lock;
  Agent& a = agent();
  if (site->previous == nullptr && a.sites != site) return;
  if (site->previous != nullptr) site->previous->next = site->next;
  if (site->next != nullptr) site->next->previous = site->previous;
  if (a.sites == site) a.sites = site->next;
  site->next = nullptr;
  site->previous = nullptr;
}

std::uint8_t rs_site_enabled_slow(rs_site* site) {
  try {
    return ringside::enabled_or_throw(site);
  } catch (const std::exception&) {  // no memory, even for a message
    agent().refused.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
}
