// A plug-in with so many statements that the dictionary must grow several times.

#include <utility>

#include "libagent/include/ringside/ringside.hpp"

namespace {

// Two levels, because compilers limit the length of a fold expression.
constexpr int kGroups = 15;
constexpr int kStatementsPerGroup = 100;

template <int N>
void log_one() {
  RS_INFO(
      "one statement of very many, each of them a template instance of its own; this text is long "
      "so that the dictionary has to grow by several steps, whatever their size: number %d",
      N);
}

template <int Group, int... N>
void log_group(std::integer_sequence<int, N...>) {
  (log_one<Group * kStatementsPerGroup + N>(), ...);
}

template <int... Group>
void log_all(std::integer_sequence<int, Group...>) {
  (log_group<Group>(std::make_integer_sequence<int, kStatementsPerGroup>()), ...);
}

}  // namespace

extern "C" RS_EXPORT int log_every_statement() {
  log_all(std::make_integer_sequence<int, kGroups>());
  return kGroups * kStatementsPerGroup;
}
