#include "tools/ringctl/stack_switches.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "shm-layout/site_switch.hpp"
#include "tools/ringctl/segment_control.hpp"
#include "tools/ringctl/statement_choice.hpp"
#include "tools/ringctl/switch_change.hpp"

namespace ringside::tool {
namespace {

bool can_have_stacks(const ListedStatement& statement) {
  const bool is_of_library = statement.category == "ringside" && statement.file.empty();
  return statement.kind != shm::SiteKind::kSpan && statement.kind != shm::SiteKind::kContext &&
         !is_of_library;
}

std::uint8_t switched(const ListedStatement& statement, std::uint8_t before, bool on) {
  if (!on) return shm::switch_without_stack(before);
  return statement.consumer_clock ? shm::kSwitchOnConsumerClockWithStack : shm::kSwitchOnWithStack;
}

}  // namespace

bool switch_stacks(SegmentControl& control, const StatementChoice& choice, bool on,
                   std::vector<StackStatement>* changed, std::string* why) {
  std::vector<ListedStatement> statements;
  SegmentControl::Switches switches;
  const auto fail = [&] {
    *why = control.why();
    return false;
  };
  if (!control.lock()) return fail();
  bool records_stacks = false;
  if (!control.records_stacks(&records_stacks)) return fail();
  if (!records_stacks) {
    *why = control.path() +
           ": the library of this service cannot record stacks for a statement; restart the "
           "service with the present version of the library";
    return false;
  }
  if (!read_statements(control, &statements, why)) return false;
  if (!control.read_switches(&switches)) return fail();
  std::erase_if(statements, [&](const ListedStatement& one) {
    return !choice.wants(one) || one.id >= switches.size();
  });
  if (std::ranges::any_of(statements, can_have_stacks) && !control.announce_change()) return fail();
  for (ListedStatement& statement : statements) {
    const std::uint8_t before = switches[statement.id];
    const bool can = can_have_stacks(statement);
    if (can && !control.write_switch(statement.id, switched(statement, before, on))) return fail();
    changed->push_back({std::move(statement), shm::is_with_stack(before), can});
  }
  return true;
}

}  // namespace ringside::tool
