// Why a brace format is rejected.
#pragma once

#include <cstdint>

namespace ringside::shm {

enum class BraceError : std::uint8_t {
  none = 0,
  format_too_long,
  embedded_nul,
  stray_brace,  // '}' without '{'
  too_many_placeholders,
  unterminated,  // something other than '}' at the end of a placeholder
  unterminated_size,
  invalid_argument,  // neither a number nor a name
  mixed_numbering,   // automatic and manual
  invalid_spec,
  no_precision,  // nothing after the point
  brace_as_fill,
  size_too_large,
  not_for_arrays,
};

}  // namespace ringside::shm
