// Messages for printf formats that are rejected.
#pragma once

#include <string_view>

#include "printf_error.hpp"

namespace ringside::shm {

constexpr std::string_view message(PrintfError error) {
  switch (error) {
    case PrintfError::none:
      return "no error";
    case PrintfError::writes_memory:
      return "refused: %n writes to memory";
    case PrintfError::prints_errno:
      return "refused: %m takes no argument; pass strerror(errno) with %s";
    case PrintfError::positional:
      return "refused: positional arguments (%1$d); name the arguments in the order of the text";
    case PrintfError::unknown_conversion:
      return "unknown conversion; write %% for a percent sign";
    case PrintfError::invalid_length:
      return "invalid length modifier for this conversion";
    case PrintfError::incomplete:
      return "the format ends inside a conversion; write %% for a percent sign";
    case PrintfError::too_many_fields:
      return "more than 255 arguments (each * counts as one); use several messages";
    case PrintfError::width_too_large:
      return "field width above 4095";
    case PrintfError::precision_too_large:
      return "precision above 4095";
    case PrintfError::format_too_long:
      return "format longer than 64 KiB";
    case PrintfError::embedded_nul:
      return "NUL character inside the format";
  }
  return "undefined error";
}

}  // namespace ringside::shm
