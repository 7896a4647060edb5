// A plug-in with some thousand statements: about half a megabyte of dictionary.

#include <utility>

#include "libagent/include/ringside/ringside.hpp"

namespace {

constexpr int kStatements = 1500;

template <int N>
void log_one() {
  RS_INFO(
      "one statement of very many, each of them a template instance of its own; this text is long "
      "so that the dictionary has to grow by several steps, whatever their size: number %d",
      N);
}

template <int... N>
void log_all(std::integer_sequence<int, N...>) {
  (log_one<N>(), ...);
}

}  // namespace

extern "C" RS_EXPORT int log_every_statement() {
  log_all(std::make_integer_sequence<int, kStatements>());
  return kStatements;
}
