#include "tools/ringctl/switch_change.hpp"

#include <memory>

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

}  // namespace

bool switch_statements(SegmentControl& control, const StatementChoice& choice, bool on,
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
  for (ListedStatement& statement : statements) {
    if (!choice.wants(statement) || statement.id >= switches.size()) continue;
    const std::uint8_t state = switches[statement.id];
    const std::uint8_t on_state =
        statement.consumer_clock ? shm::kSwitchOnConsumerClock : shm::kSwitchOn;
    if (!control.write_switch(statement.id,
                              shm::changed_switch(state, on ? on_state : shm::kSwitchOff, slot))) {
      *why = control.why();
      return false;
    }
    switched->push_back({std::move(statement), shm::is_on_meanwhile(state), on});
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
  if (shm::change_level(control, static_cast<std::uint32_t>(level), slot, for_each_site)) {
    return true;
  }
  if (why->empty()) *why = control.why();
  return false;
}

}  // namespace ringside::tool
