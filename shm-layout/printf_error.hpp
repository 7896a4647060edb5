// Why a printf format is rejected.
#pragma once

#include <cstdint>

namespace ringside::shm {

enum class PrintfError : std::uint8_t {
  none = 0,
  writes_memory,
  prints_errno,
  positional,
  unknown_conversion,
  invalid_length,
  incomplete,
  too_many_fields,
  width_too_large,
  precision_too_large,
  format_too_long,
  embedded_nul,
};

}  // namespace ringside::shm
