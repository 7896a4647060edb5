#pragma once
// Takes the fields of arguments, one after the other, in the form in which they are passed.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "argument_fields.hpp"
#include "stored_argument.hpp"

namespace ringside::detail {

// An argument that is in this form already.
template <class Passed>
struct PassedField {
  Passed value;
};
template <class T>
inline constexpr bool is_passed_field = false;
template <class Passed>
inline constexpr bool is_passed_field<PassedField<Passed>> = true;

// An argument or part without parts, as a field with `kCode`.
template <unsigned kCode, class T>
[[gnu::always_inline]] inline auto passed_field(const T& argument) {
  decltype(auto) leaf = leaf_of(argument);
  using Leaf = std::decay_t<decltype(leaf)>;
  if constexpr (is_passed<Leaf>) {
    return Leaf(leaf);
  } else {
    return passed<kCode>(leaf, -1);
  }
}

// `Passed`: the fields until now. `kField`: their number and that of the constants. `Codes`: the
// codes of the fields, with kConstantCode for those that are not recorded.
template <class Codes, std::size_t kField, class... Passed>
struct TakenFields {
  // Calls `done` with the fields of all arguments. The parts of an argument exist until its
  // visit() returns. A closure is never an argument of a template that makes another one: such
  // names double in length with each field, and fill the memory of g++ -g.
  template <class Done>
  [[gnu::always_inline]] static void take(const Done& done, const Passed&... taken) {
    done(taken...);
  }

  template <class Done, class First, class... Rest>
  [[gnu::always_inline]] static void take(const Done& done, const Passed&... taken,
                                          const First& first, const Rest&... rest) {
    if constexpr (is_passed_field<First>) {
      add(done, taken..., first.value, rest...);
    } else if constexpr (is_composite<First>()) {
      CompositeOf<First>::visit(
          first, [&](const auto&... parts) __attribute__((always_inline)) {
            TakenFields::take(done, taken..., parts..., rest...);
          });
    } else if constexpr ((Codes::template code<First>(kField) & kConstantCode) != 0) {
      TakenFields<Codes, kField + 1, Passed...>::take(done, taken..., rest...);
    } else {
      constexpr unsigned kCode = Codes::template code<First>(kField);
      add(done, taken..., passed_field<kCode>(first), rest...);
    }
  }

 private:
  template <class Done, class Field, class... Rest>
  [[gnu::always_inline]] static void add(const Done& done, const Passed&... taken,
                                         const Field& field, const Rest&... rest) {
    TakenFields<Codes, kField + 1, Passed..., Field>::take(done, taken..., field, rest...);
  }
};

}  // namespace ringside::detail
