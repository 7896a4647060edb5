#pragma once
// Which type of the encoding (netlogger_messages.hpp) a value gets.

#include <cstdint>
#include <optional>

#include "trace-format/reader/trace_event.hpp"

namespace ringside::tool::netlogger {

enum class TypeChoice : std::uint8_t {
  kOfThePaper,  // INT, FLOAT and STRING
  kExtended,    // the extension types, too, where these three would change a number
};

// The narrowest type that keeps the value, or comes closest to it.
std::uint8_t type_of(const trace::Value& value, TypeChoice choice);

// The type of a field that has had values of both types; 0: of none.
std::uint8_t type_of_both(std::uint8_t one, std::uint8_t other);

// Of a floating-point number of any size.
std::optional<double> floating(const trace::Value& value);

}  // namespace ringside::tool::netlogger
