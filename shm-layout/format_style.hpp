// The syntax of a site's format string. Stored in the dictionary: values are never renumbered.
#pragma once

#include "required_platform.hpp"
// Before all others.
#include <cstdint>

namespace ringside::shm {

enum class FormatStyle : std::uint8_t {
  none = 0,    // fixed text; the fields follow it as " name=value"
  printf = 1,  // C conversions, see printf_spec.hpp
  brace = 2,   // replacement fields of std::format
};

}  // namespace ringside::shm
