#include "libagent/examples/kvd/command_table.hpp"

#include <algorithm>
#include <array>

#include "libagent/examples/kvd/connection_commands.hpp"
#include "libagent/examples/kvd/key_commands.hpp"
#include "libagent/examples/kvd/letter_case.hpp"
#include "libagent/examples/kvd/list_commands.hpp"
#include "libagent/examples/kvd/server_commands.hpp"
#include "libagent/examples/kvd/string_commands.hpp"

namespace kvd::commands {
namespace {

// Sorted by name for the search.
constexpr std::array kCommands{
    Command{"command", -1, command}, Command{"config", -2, config},
    Command{"dbsize", 1, dbsize},    Command{"decr", 2, decr},
    Command{"decrby", 3, decrby},    Command{"del", -2, del},
    Command{"echo", 2, echo},        Command{"exists", -2, exists},
    Command{"expire", -3, expire},   Command{"flushall", -1, flushall},
    Command{"get", 2, get},          Command{"incr", 2, incr},
    Command{"incrby", 3, incrby},    Command{"info", -1, info},
    Command{"llen", 2, llen},        Command{"lpop", 2, lpop},
    Command{"lpush", -3, lpush},     Command{"mget", -2, mget},
    Command{"mset", -3, mset},       Command{"ping", -1, ping},
    Command{"quit", -1, quit},       Command{"rpop", 2, rpop},
    Command{"rpush", -3, rpush},     Command{"select", 2, select},
    Command{"set", -3, set},         Command{"shutdown", -1, shut_down},
    Command{"ttl", 2, ttl},          Command{"type", 2, type},
};

constexpr bool name_before(const Command& a, const Command& b) {
  return std::string_view(a.name) < std::string_view(b.name);
}
static_assert(std::is_sorted(kCommands.begin(), kCommands.end(), name_before));

}  // namespace

const Command* find_command(std::string_view name) {
  char folded[16];
  if (name.size() > sizeof folded) return nullptr;
  std::transform(name.begin(), name.end(), folded, lower);
  const std::string_view wanted(folded, name.size());
  const auto* const found = std::lower_bound(
      kCommands.begin(), kCommands.end(), wanted,
      [](const Command& a, std::string_view b) { return std::string_view(a.name) < b; });
  return found != kCommands.end() && found->name == wanted ? found : nullptr;
}

}  // namespace kvd::commands
