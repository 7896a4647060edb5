#pragma once
// Calls of statements for which the codes of the fields do not say everything: arguments with
// several fields, enumerations, arrays, and literals.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "argument_fields.hpp"
#include "statement.hpp"
#include "taken_fields.hpp"

namespace ringside::detail {

template <std::uint64_t kA, std::uint64_t kB, std::uint64_t kC, std::uint64_t kD,
          const Signature* kOwn, class... Args>
struct Call<true, kA, kB, kC, kD, kOwn, Arguments<Args...>> {
  using Plain = Call<true, kA, kB, kC, kD, kOwn, void>;

  [[gnu::visibility("hidden")]] static constexpr const rs_shape* kShapes[sizeof...(Args) + 1] = {
      shape_of<Args>()...};

  [[gnu::visibility("hidden")]] static constexpr rs_signature signature = {
      Plain::types.types, kShapes, static_cast<std::uint8_t>(Plain::kFields), sizeof...(Args)};

  [[gnu::always_inline]] static void record(rs_site* site, std::uint8_t state,
                                            const Args&... args) {
    if constexpr (Plain::has_limits()) {
      Plain::record(site, state, args...);  // printf: one field for each argument
    } else {
      TakenFields<Codes, 0>::take(Recording{site, state}, args...);
    }
  }

 private:
  // Those of the statement: printf records an enumeration as a number too.
  struct Codes {
    template <class T>
    static constexpr unsigned code(std::size_t field) {
      return Plain::code(field);
    }
  };
  struct Recording {
    rs_site* site;
    std::uint8_t state;
    template <class... Passed>
    [[gnu::always_inline]] void operator()(const Passed&... fields) const {
      call(site, state, fields...);
    }
  };
};

}  // namespace ringside::detail
