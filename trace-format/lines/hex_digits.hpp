// The digits of hexadecimal numbers.
#pragma once

namespace ringside::trace {

inline constexpr char kHexDigits[] = "0123456789abcdef";

}  // namespace ringside::trace
