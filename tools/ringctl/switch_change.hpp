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

// `counting`: each execution is counted, and not recorded.
enum class StatementState { off, on, counting };

struct SwitchedStatement {
  ListedStatement statement;
  StatementState before = StatementState::off;
};

// False with `*why`. `limit_ns`: the change reverts after this time, even if this tool and
// consumerd are gone. `*switched` gets the statements that match, including those that already had
// the state. Statements without a counter cannot count: then nothing is changed.
bool switch_statements(SegmentControl& control, const StatementChoice& choice, StatementState state,
                       std::optional<std::uint64_t> limit_ns,
                       std::vector<SwitchedStatement>* switched, std::string* why);

// The statements of the segment. False with `*why` if its dictionary is damaged.
bool read_statements(const SegmentControl& control, std::vector<ListedStatement>* statements,
                     std::string* why);

// Disables statements below `level` and enables all others, including those that are loaded later.
bool change_level(SegmentControl& control, shm::Level level, std::optional<std::uint64_t> limit_ns,
                  std::string* why);

}  // namespace ringside::tool
