#pragma once
// Switches statements of one live segment, permanently or until a deadline that is stored in the
// segment.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shm-layout/level.hpp"
#include "tools/live/statement_list.hpp"

namespace ringside::tool {

class SegmentControl;
class StatementChoice;

struct SwitchedStatement {
  ListedStatement statement;
  bool was_on = false;
  bool is_on = false;
};

// False with `*why`. `limit_ns`: the change reverts after this time, even if this tool and
// consumerd are gone. `*switched` gets the statements that match, including those that already had
// the state.
bool switch_statements(SegmentControl& control, const StatementChoice& choice, bool on,
                       std::optional<std::uint64_t> limit_ns,
                       std::vector<SwitchedStatement>* switched, std::string* why);

// Disables statements below `level` and enables all others, including those that are loaded later.
bool change_level(SegmentControl& control, shm::Level level, std::optional<std::uint64_t> limit_ns,
                  std::string* why);

}  // namespace ringside::tool
