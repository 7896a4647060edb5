#pragma once
// Switches the stacks of statements of one live segment on and off.

#include <string>
#include <vector>

#include "tools/live/statement_list.hpp"

namespace ringside::tool {

class SegmentControl;
class StatementChoice;

struct StackStatement {
  ListedStatement statement;
  bool had_stacks = false;
  bool can_have_stacks = true;  // false: a span, a context, or of the library; not changed
};

// On: enables the statements, and each record has a stack. Off: those with stacks go on without.
// False with `*why`. `*changed` gets the statements that match.
bool switch_stacks(SegmentControl& control, const StatementChoice& choice, bool on,
                   std::vector<StackStatement>* changed, std::string* why);

}  // namespace ringside::tool
