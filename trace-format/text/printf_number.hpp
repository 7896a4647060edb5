// Numbers as printf writes them in the C locale.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace-format/text/text_sink.hpp"

namespace ringside::trace {

struct NumberStyle {
  std::int32_t width = 0;       // 0..shm::kMaxPrintfWidth
  std::int32_t precision = -1;  // -1: none given; up to shm::kMaxPrintfPrecision
  std::uint8_t flags = 0;       // of shm::printf_flag
  char conversion = 0;
};

// %d %i
void write_signed(TextSink& sink, std::int64_t number, const NumberStyle& style);

// %u %o %x %X %b %B
void write_unsigned(TextSink& sink, std::uint64_t number, const NumberStyle& style);

void write_pointer(TextSink& sink, std::uint64_t address, const NumberStyle& style);

// %e %E %f %F %g %G without the flag '#', which needs write_library_float.
void write_float(TextSink& sink, double number, const NumberStyle& style);

// Any floating conversion. `spec`: a printf specification for the number's own type with `*` for
// width and precision.
void write_library_float(TextSink& sink, double number, const char* spec, const NumberStyle& style);
void write_library_float(TextSink& sink, long double number, const char* spec,
                         const NumberStyle& style);

// Pads text to the style's width with blanks.
void write_text(TextSink& sink, std::string_view text, const NumberStyle& style);

// The number in the shortest form, "%.<precision>f"; for 0 <= precision <= 9. False (and nothing
// written) when it is not finite or too large for exact 64-bit arithmetic.
bool write_small_fixed(TextSink& sink, double number, int precision);

}  // namespace ringside::trace
