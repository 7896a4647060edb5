#include "tools/ringctl/switch_change.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "shm-layout/switch_change.hpp"
#include "tools/live/segment_image.hpp"
#include "tools/ringctl/segment_control.hpp"
#include "tools/ringctl/statement_choice.hpp"

namespace ringside::tool {
namespace {

// Locks the segment, and takes a slot for the deadline, if there is one.
bool prepare(SegmentControl& control, std::optional<std::uint64_t> limit_ns,
             std::optional<std::uint32_t>* slot, std::string* why) {
  if (!control.lock()) {
    *why = control.why();
    return false;
  }
  if (!limit_ns) return true;
  *slot = control.take_deadline(*limit_ns);
  if (!*slot) *why = control.why();
  return slot->has_value();
}

StatementState state_of(std::uint8_t byte) {
  if (shm::is_on_meanwhile(byte)) return StatementState::on;
  return shm::present_switch(byte) == shm::kSwitchCounting ? StatementState::counting
                                                           : StatementState::off;
}

std::uint8_t switch_of(StatementState state, const ListedStatement& statement) {
  if (state == StatementState::off) return shm::kSwitchOff;
  if (state == StatementState::counting) return shm::kSwitchCounting;
  return statement.consumer_clock ? shm::kSwitchOnConsumerClock : shm::kSwitchOn;
}

bool can_count(SegmentControl& control, const std::vector<ListedStatement>& statements,
               std::string* why) {
  if (!control.counts_executions()) {
    *why = control.path() +
           ": the library of this service cannot count executions; restart the service with the "
           "present version of the library";
    return false;
  }
  std::uint32_t sites = 0;
  if (!control.read_sites_with_executions(&sites)) {
    *why = control.why();
    return false;
  }
  const auto without = std::count_if(statements.begin(), statements.end(),
                                     [sites](const auto& one) { return one.id >= sites; });
  if (without == 0) return true;
  *why = fmt::format(
      "{}: {} of {} selected statements have no counter, because shared memory was full when they "
      "were registered; enlarge the shared-memory file system and restart the service, or select "
      "other statements",
      control.path(), without, statements.size());
  return false;
}

}  // namespace

bool read_statements(const SegmentControl& control, std::vector<ListedStatement>* statements,
                     std::string* why) {
  const auto image = SegmentImage::open(control.path(), why);
  if (image == nullptr) return false;
  std::string damage;
  *statements = list_statements(*image, &damage);
  if (damage.empty()) return true;
  *why = control.path() + ": " + damage;
  return false;
}

bool switch_statements(SegmentControl& control, const StatementChoice& choice, StatementState state,
                       std::optional<std::uint64_t> limit_ns,
                       std::vector<SwitchedStatement>* switched, std::string* why) {
  std::optional<std::uint32_t> slot;
  if (!prepare(control, limit_ns, &slot, why)) return false;
  std::vector<ListedStatement> statements;
  std::vector<std::uint8_t> switches;
  if (!read_statements(control, &statements, why)) return false;
  if (!control.read_switches(&switches)) {
    *why = control.why();
    return false;
  }
  std::erase_if(statements, [&](const ListedStatement& one) {
    return !choice.wants(one) || one.id >= switches.size();
  });
  if (state == StatementState::counting && !can_count(control, statements, why)) return false;
  if (!statements.empty() && !control.announce_change()) {
    *why = control.why();
    return false;
  }
  for (ListedStatement& statement : statements) {
    const std::uint8_t byte = switches[statement.id];
    if (!control.write_switch(statement.id,
                              shm::changed_switch(byte, switch_of(state, statement), slot))) {
      *why = control.why();
      return false;
    }
    switched->push_back({std::move(statement), state_of(byte)});
  }
  return true;
}

bool change_level(SegmentControl& control, shm::Level level, std::optional<std::uint64_t> limit_ns,
                  std::string* why) {
  std::optional<std::uint32_t> slot;
  if (!prepare(control, limit_ns, &slot, why)) return false;
  const auto for_each_site = [&](const auto& visit) {
    std::vector<ListedStatement> statements;
    if (!read_statements(control, &statements, why)) return false;
    for (const ListedStatement& one : statements) {
      visit(one.id, static_cast<std::uint8_t>(one.level), one.consumer_clock);
    }
    return true;
  };
  if (!control.announce_change()) {
    *why = control.why();
    return false;
  }
  if (shm::change_level(control, static_cast<std::uint32_t>(level), slot, for_each_site)) {
    return true;
  }
  if (why->empty()) *why = control.why();
  return false;
}

}  // namespace ringside::tool
