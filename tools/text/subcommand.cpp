#include "tools/text/subcommand.hpp"

#include <algorithm>

namespace ringside::tool {

const Subcommand* find_subcommand(std::string_view word) {
  const std::span<const Subcommand> all = subcommands();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Subcommand& one) { return one.name == word; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace ringside::tool
