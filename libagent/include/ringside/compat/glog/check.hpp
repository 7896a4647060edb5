#pragma once
// The checks of glog: a failed one ends the process.

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <strings.h>
#include <utility>

#include <ringside/ringside.hpp>

#include "writer.hpp"

namespace google {
/// What LOG(FATAL) and failed checks call in the end.
typedef void (*logging_fail_func_t)() __attribute__((noreturn));  // NOLINT(modernize-use-using)
}  // namespace google

namespace ringside::detail::glog {

inline void (*failure_function)() = &std::abort;
inline constexpr std::chrono::milliseconds kFatalFlushBound{1000};

// After the record of a fatal statement.
[[noreturn, gnu::cold]] inline bool fail() {
  ringside::flush(kFatalFlushBound);
  failure_function();
  std::abort();
}

// The operands of a failed CHECK_EQ or the like, as text.
struct Failure {
  bool is_failed = false;
  std::string operands{};
};

template <class T>
void write_operand(std::ostream& out, const T& value) {
  if constexpr (std::is_null_pointer_v<T>) {
    out << "nullptr";
  } else if constexpr (std::is_enum_v<T> && !std::is_convertible_v<T, long long>) {
    out << static_cast<std::underlying_type_t<T>>(value);
  } else {
    Writer<T>::write(out, value);
  }
}

template <class A, class B>
[[gnu::cold, gnu::noinline]] Failure failure(const A& a, const B& b) {
  std::ostringstream text;
  text << '(';
  write_operand(text, a);
  text << " vs. ";
  write_operand(text, b);
  text << ") ";
  return {true, text.str()};
}

template <class A, class B, class Compare>
Failure compare(const A& a, const B& b, Compare holds) {
  return __builtin_expect(holds(a, b), true) ? Failure{} : failure(a, b);
}

inline const char* shown(const char* text) {
  return text != nullptr ? text : "(null)";
}

// `function`: strcmp or strcasecmp. Null pointers equal only null pointers.
inline Failure compare_texts(const char* a, const char* b,
                             int (*function)(const char*, const char*), bool are_to_be_equal) {
  const bool are_equal = a == b || (a != nullptr && b != nullptr && function(a, b) == 0);
  return are_equal == are_to_be_equal ? Failure{} : failure(shown(a), shown(b));
}

}  // namespace ringside::detail::glog
