#include "libagent/recording/statement_registry.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <span>
#include <string_view>

#include "libagent/description/field_types.hpp"
#include "libagent/description/netlogger_entry.hpp"
#include "libagent/description/statement_entry.hpp"
#include "libagent/description/statement_fields.hpp"
#include "libagent/description/stream_format.hpp"
#include "libagent/include/ringside/span_abi.h"
#include "libagent/process/reentry_guard.hpp"
#include "libagent/process/slow_call.hpp"
#include "libagent/recording/appended_statement.hpp"
#include "libagent/recording/execution_count.hpp"
#include "libagent/recording/loss_count.hpp"
#include "libagent/recording/own_change.hpp"
#include "libagent/recording/requested_stack.hpp"
#include "libagent/recording/segment_succession.hpp"
#include "shm-layout/printf_fields.hpp"
#include "shm-layout/record_head.hpp"
#include "shm-layout/site_switch.hpp"
#include "shm-layout/switch_change.hpp"

namespace ringside {
namespace {

std::string_view format_of(const rs_site& site) {
  constexpr std::size_t kMaxFormatBytes = 64U << 10;
  return site.format == nullptr
             ? std::string_view()
             : std::string_view(site.format, strnlen(site.format, kMaxFormatBytes));
}

bool suit(const FieldTypes& types, const shm::FieldList& conversions) {
  if (types.count() != conversions.count) return false;
  for (std::uint32_t i = 0; i < conversions.count; ++i) {
    if (!shm::records_as(conversions[i], types[i])) return false;
  }
  return true;
}

// From the level word of the control page, which tools write too.
std::uint8_t switch_for(const rs_site& site, std::uint32_t level) {
  const bool consumer_clock = (site.flags & RS_SITE_CONSUMER_CLOCK) != 0;
  const auto by = [&](std::uint32_t threshold) {
    return shm::switch_by_level(site.level, threshold, consumer_clock);
  };
  const std::uint8_t meanwhile = by(shm::level_meanwhile(level));
  const std::uint8_t after = by(shm::level_after(level));
  if (meanwhile == after) return after;
  return shm::timed_switch(meanwhile, after, shm::level_deadline_slot(level));
}

// The present value of a switch; an expired one gets its value after the deadline. No lock: any log
// call may come here, in a signal handler too.
std::uint8_t switch_now(Segment& segment, std::uint8_t* byte) {
  // Pairs with the release of the tool that has set the deadline before.
  std::uint8_t state = __atomic_load_n(byte, __ATOMIC_ACQUIRE);
  if (!shm::is_timed(state)) return state;
  const auto& deadline = segment.control->switch_deadlines.tsc[shm::switch_deadline_slot(state)];
  if (rs_clock() < deadline.load(std::memory_order_relaxed)) return shm::switch_meanwhile(state);
  const std::uint8_t after = shm::switch_after(state);
  // Unless a tool has changed the switch since.
  __atomic_compare_exchange_n(byte, &state, after, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return after;
}

std::uint8_t recordable(std::uint8_t state) {
  const std::uint8_t plain = shm::switch_without_stack(state);
  return plain == shm::kSwitchOn || plain == shm::kSwitchOnConsumerClock ? state : shm::kSwitchOff;
}

// A tool that changes the level stores it, then reads site_count, then switches the sites: a site
// that it did not count yet reads the new level here. Bounded, because others may change the word
// all the time.
void set_new_switch(Segment& segment, const rs_site& site, std::uint32_t id) {
  const std::atomic<std::uint32_t>& level = segment.control->service.level;
  for (int tries = 0; tries < 8; ++tries) {
    // Pairs with the release of a tool that has set the level's deadline before.
    const std::uint32_t seen = level.load(std::memory_order_acquire);
    __atomic_store_n(&segment.switches[id], switch_for(site, seen), __ATOMIC_RELAXED);
    // Pairs with the fence of a tool between the level and site_count: either this thread sees the
    // new level, or the tool counts the site.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (level.load(std::memory_order_relaxed) == seen) return;
  }
}

}  // namespace

std::optional<shm::LossCause> register_statement(Agent& agent, rs_site& site) {
  if (is_registered(site) || is_unused_stream(site) || (site.flags & RS_SITE_ON_FIRST_USE) != 0) {
    return {};
  }
  Segment& segment = *agent.segment.load(std::memory_order_relaxed);
  const std::uint32_t id = next_statement_id(segment);
  const auto refuse = [&](const char* what) { return refuse_statement(agent, segment, what); };
  if (id >= segment.layout.site_capacity || id > shm::kMaxSiteId) {
    return refuse("too many statements for");
  }
  // Of a brace format: none. Its compiler has checked it, and its reader checks it again.
  const bool is_printf = site.style == RS_STYLE_PRINTF;
  const shm::FieldList conversions =
      is_printf ? shm::printf_fields(format_of(site)) : shm::FieldList();
  if (!conversions.ok()) return refuse("invalid format: statement refused by");
  const bool is_complete =
      site.signature != nullptr || complete_fields(site, is_printf ? &conversions : nullptr);
  const FieldTypes types(site);
  // Only in a program that was compiled with errors ignored.
  if (!is_complete || (is_printf && !suit(types, conversions))) {
    return refuse("invalid format: statement refused by");
  }
  // A record waits for space that its ring has.
  if (types.uncut_bytes() > shm::max_record_bytes(segment.layout.ring_bytes)) {
    return refuse("a statement has too many fields for rings this small; raise ring_bytes of");
  }
  if (agent.options.clock == Clock::consumer) site.flags |= RS_SITE_CONSUMER_CLOCK;
  StatementEntry entry(site);
  if (const char* const why = entry.read(id, conversions)) return refuse(why);
  if (const auto cause = append_statement(agent, segment, entry, types)) return cause;
  set_new_switch(segment, site, id);
  site.id = id;
  // Pairs with the acquire in rs_site_enabled: a thread that finds its switch there sees id and
  // fields.
  __atomic_store_n(&site.state, place_of_switch(segment, id), __ATOMIC_RELEASE);
  book_refusals(site);
  return {};
}

namespace {

bool is_listed(const Agent& agent, const rs_site& site) {
  return site.previous != nullptr || agent.sites == &site;
}

}  // namespace

void add_statement(Agent& agent, rs_site& site, bool is_reentered) noexcept {
  if (is_listed(agent, site)) return;
  if ((site.flags & RS_SITE_NETLOGGER) != 0) set_netlogger_level(site);
  site.next = agent.sites;
  if (agent.sites != nullptr) agent.sites->previous = &site;
  agent.sites = &site;
  if (is_reentered || agent.state.load(std::memory_order_relaxed) != State::live) return;
  try {
    register_statement(agent, site);
  } catch (const std::exception&) {  // no memory for a message: its first log call tries again
  }
}

void remove_statement(Agent& agent, rs_site& site) noexcept {
  if (!is_listed(agent, site)) return;
  if (site.previous != nullptr) site.previous->next = site.next;
  if (site.next != nullptr) site.next->previous = site.previous;
  if (agent.sites == &site) agent.sites = site.next;
  site.next = nullptr;
  site.previous = nullptr;
  book_refusals(site);
}

void register_loaded_statements(Agent& agent) {
  for (rs_site* site = agent.sites; site != nullptr; site = site->next) {
    register_statement(agent, *site);
  }
}

std::uint8_t present_level(const Segment& segment) {
  // Tools write it too. Pairs with the release of one that has set the level's deadline before.
  const std::uint32_t word = segment.control->service.level.load(std::memory_order_acquire);
  std::uint32_t level = shm::level_after(word);
  if (shm::is_timed_level(word)) {
    const std::uint64_t deadline =
        segment.control->switch_deadlines.tsc[shm::level_deadline_slot(word)].load(
            std::memory_order_relaxed);
    if (rs_clock() < deadline) level = shm::level_meanwhile(word);
  }
  return static_cast<std::uint8_t>(std::clamp<std::uint32_t>(level, RS_LEVEL_TRACE, RS_LEVEL_OFF));
}

void apply_level(Agent& agent, std::uint8_t level) {
  agent.level.store(level, std::memory_order_relaxed);
  Segment* const segment = agent.segment.load(std::memory_order_relaxed);
  if (segment == nullptr) return;
  const OwnChange change(segment->control->service_changes);
  segment->control->service.level.store(level, std::memory_order_relaxed);
  for (const rs_site* site = agent.sites; site != nullptr; site = site->next) {
    if (!is_registered(*site)) continue;
    std::uint8_t* const byte = &segment->switches[site->id];
    const std::uint8_t before = __atomic_load_n(byte, __ATOMIC_RELAXED);
    __atomic_store_n(byte, shm::changed_switch(before, switch_for(*site, level), {}),
                     __ATOMIC_RELAXED);
  }
}

namespace {

void forget_tables(const rs_shape* shape) {
  if (shape == nullptr) return;
  if (shape->enumeration != nullptr) shape->enumeration->table_id = 0;
  for (std::uint32_t i = 0; shape->parts != nullptr && i < shape->part_count; ++i) {
    forget_tables(shape->parts[i]);
  }
}

void forget_tables(const rs_signature& signature) {
  for (std::uint32_t i = 0; signature.shapes != nullptr && i < signature.argument_count; ++i) {
    forget_tables(signature.shapes[i]);
  }
}

}  // namespace

void forget_registrations(Agent& agent) {
  for (rs_site* site = agent.sites; site != nullptr; site = site->next) {
    __atomic_store_n(&site->state, &rs_initial_switch, __ATOMIC_RELAXED);
    __atomic_store_n(&site->unbooked_refusals, 0, __ATOMIC_RELAXED);
    if (site->signature != nullptr) forget_tables(*site->signature);
  }
}

namespace {

std::uint32_t level_in_force(const Agent& a) {
  const Segment* const segment = a.segment.load(std::memory_order_acquire);
  if (segment == nullptr) return a.level.load(std::memory_order_relaxed);
  return shm::level_meanwhile(segment->control->service.level.load(std::memory_order_relaxed));
}

// `state`; or 0, and counted, if this thread is within a record in a ring of a replaced segment
// that does not know the statement.
std::uint8_t after_move(rs_site& site, std::uint8_t state) {
  if (prepare_to_move(static_cast<std::uint32_t>(site.id))) return state;
  count_refusal(&site, shm::LossCause::kNoRing);
  return 0;
}

// Whether to record an execution, by the present value of the switch; otherwise counts it if that
// is the switch's value.
std::uint8_t decide(rs_site& site, Segment& segment, std::uint8_t present) {
  if (present == shm::kSwitchCounting) count_execution(segment, site.id);
  const std::uint8_t state = recordable(present);
  return state != 0 ? after_move(site, state) : state;
}

std::uint8_t enabled_or_throw(rs_site* site) {
  const SlowCall call;
  Agent& a = agent();
  // A statement that is switched off loses nothing.
  const auto refuse = [&a, site](shm::LossCause cause) -> std::uint8_t {
    if (site->level >= level_in_force(a)) count_refusal(site, cause);
    return 0;
  };
  if (a.state.load(std::memory_order_relaxed) == State::failed &&
      monotonic_ns() < a.retry_at_ns.load(std::memory_order_relaxed)) {
    return refuse(shm::LossCause::kNoSharedMemory);
  }
  if (ReentryGuard::is_active()) return refuse(shm::LossCause::kDictionaryFull);
  const SlowPathLock lock(SlowPathLock::Wait::bounded);
  if (!lock.is_taken()) return refuse(shm::LossCause::kDictionaryFull);
  if (!ensure_segment(a)) {
    const bool disabled = a.state.load(std::memory_order_relaxed) == State::disabled;
    return disabled ? std::uint8_t{0} : refuse(shm::LossCause::kNoSharedMemory);
  }
  // Not written again once another thread may have registered the statement: calls read it.
  if ((site->flags & RS_SITE_ON_FIRST_USE) != 0) {
    site->flags &= static_cast<std::uint8_t>(~RS_SITE_ON_FIRST_USE);
  }
  if (const auto cause = register_statement(a, *site)) return refuse(*cause);
  Segment& segment = *a.segment.load(std::memory_order_relaxed);
  return decide(*site, segment, switch_now(segment, &segment.switches[site->id]));
}

// For a registered statement. In the new segment it has the same id.
std::uint8_t enabled_after_truncation(rs_site& site, Segment& truncated) {
  Agent& a = agent();
  if (!replace_truncated_segment(truncated)) {
    if (site.level >= a.level.load(std::memory_order_relaxed)) {
      count_refusal(&site, shm::LossCause::kNoSharedMemory);
    }
    return 0;
  }
  Segment& present = *a.segment.load(std::memory_order_acquire);
  return decide(site, present, switch_now(present, &present.switches[site.id]));
}

// Registers the statement, creating the segment if necessary. Not for a log call: nothing is lost.
bool is_registered_now(rs_site& site) {
  const SlowCall call;
  Agent& a = agent();
  const bool waits = a.state.load(std::memory_order_relaxed) == State::failed &&
                     monotonic_ns() < a.retry_at_ns.load(std::memory_order_relaxed);
  if (waits || ReentryGuard::is_active()) return false;
  const SlowPathLock lock(SlowPathLock::Wait::bounded);
  return lock.is_taken() && ensure_segment(a) && !register_statement(a, site);
}

}  // namespace
}  // namespace ringside

using ringside::Agent;
using ringside::agent;
using ringside::SlowPathLock;

void rs_sites_loaded(rs_site* const* begin, rs_site* const* end) {
  const bool is_reentered = SlowPathLock::is_held();
  const SlowPathLock lock;
  Agent& a = agent();
  // Every file of the C front end calls this; the last one of the list is added last.
  if (begin == end || ringside::is_listed(a, *end[-1])) return;
  for (; begin != end; ++begin) ringside::add_statement(a, **begin, is_reentered);
}

void rs_sites_unloaded(rs_site* const* begin, rs_site* const* end) {
  const SlowPathLock lock;
  for (; begin != end; ++begin) ringside::remove_statement(agent(), **begin);
}

namespace {

// The value of the switch, if the execution is to be recorded.
std::uint8_t state_of_execution(rs_site* site) {
  // Pairs with the release at registration.
  const std::uint8_t* const state = __atomic_load_n(&site->state, __ATOMIC_ACQUIRE);
  if (state != &rs_initial_switch) {
    ringside::Segment* const segment = agent().segment.load(std::memory_order_acquire);
    if (segment == nullptr) return 0;  // a handler in the child of a fork that is just beginning
    const bool is_truncated = segment->is_truncated.load(std::memory_order_acquire);
    // First, because a call that counts must cost less than one that records.
    if (__atomic_load_n(state, __ATOMIC_RELAXED) == ringside::shm::kSwitchCounting &&
        !is_truncated) {
      ringside::count_execution(*segment, site->id);
      return 0;
    }
    const ringside::SlowCall call;
    if (is_truncated) {
      return ringside::enabled_after_truncation(*site, *segment);
    }
    const bool moving = ringside::is_moving(state);
    std::uint8_t* const place =
        moving ? &segment->switches[site->id] : const_cast<std::uint8_t*>(state);
    return ringside::decide(*site, *segment, ringside::switch_now(*segment, place));
  }
  try {
    return ringside::enabled_or_throw(site);
  } catch (const std::exception&) {  // no memory, even for a message
    ringside::count_refusal(site, ringside::shm::LossCause::kNoSharedMemory);
    return 0;
  }
}

}  // namespace

std::uint8_t rs_site_enabled_slow(rs_site* site) {
  const std::uint8_t state = state_of_execution(site);
  if (!ringside::shm::is_with_stack(state)) return state;
  ringside::request_stack(*site, reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa()));
  return ringside::shm::switch_without_stack(state);
}

uint8_t rs_may_end_span(rs_site* site) {
  const ringside::SlowCall call;
  return ringside::after_move(*site, 1);
}

void rs_count_suppressed(rs_site* site, std::uint64_t executions) {
  // Pairs with the release at registration.
  if (__atomic_load_n(&site->state, __ATOMIC_ACQUIRE) == &rs_initial_switch) {
    if (__atomic_load_n(&rs_initial_switch, __ATOMIC_RELAXED) == ringside::shm::kSwitchOff) return;
    try {
      if (!ringside::is_registered_now(*site)) return;
    } catch (const std::exception&) {  // no memory, even for a message
      return;
    }
  }
  ringside::Segment* const segment = agent().segment.load(std::memory_order_acquire);
  if (segment != nullptr) ringside::count_suppressed(*segment, site->id, executions);
}
