#pragma once
// Switches statements of one live segment, for good or until a deadline that lies in the segment.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shm-layout/level.hpp"
#include "tools/statement_list.hpp"

namespace ringside::tool {

class SegmentControl;
class StatementChoice;

struct SwitchedStatement {
  ListedStatement statement;
  bool was_on = false;
  bool is_on = false;
};

// False with `*why`. `limit_ns`: everything is as before so long from now on, whoever is alive
// then.
// `*switched` gets the statements that were meant, also those that were so already.
bool switch_statements(SegmentControl& control, const StatementChoice& choice, bool on,
                       std::optional<std::uint64_t> limit_ns,
                       std::vector<SwitchedStatement>* switched, std::string* why);

// Statements below `level` off, all others on, and those that are yet to be loaded likewise.
bool change_level(SegmentControl& control, shm::Level level, std::optional<std::uint64_t> limit_ns,
                  std::string* why);

}  // namespace ringside::tool
