#pragma once
// Refuses a statement whose format and arguments do not belong together. The compiler's message
// names the template arguments: the conversion, its place, the argument and the types.

#include <cstddef>
#include <cstdint>

#include "shm-layout/brace_error.hpp"
#include "shm-layout/brace_fit.hpp"
#include "shm-layout/printf_error.hpp"
#include "signature.hpp"

namespace ringside::detail {

// `kConversion`, at byte `kPosition` of the format, takes argument number `kArgument` (1: the first
// after the format) of `Arguments`.
template <Mismatch kMismatch, std::uint8_t kFormatError, char kConversion, std::uint32_t kPosition,
          unsigned kArgument, class Arguments>
struct PrintfCheck {
  static constexpr auto kError = static_cast<shm::PrintfError>(kFormatError);
  static_assert(kError != shm::PrintfError::writes_memory,
                "Ringside refuses %n: it writes to memory");
  static_assert(kError != shm::PrintfError::prints_errno,
                "Ringside refuses %m: pass strerror(errno) with %s");
  static_assert(kError != shm::PrintfError::positional,
                "Ringside refuses positional arguments such as %1$d: pass the arguments in the "
                "order of the text");
  static_assert(kError != shm::PrintfError::unknown_conversion,
                "unknown conversion in the format; write %% for a percent sign");
  static_assert(kError != shm::PrintfError::invalid_length,
                "invalid length modifier for a conversion in the format");
  static_assert(kError != shm::PrintfError::incomplete,
                "the format ends inside a conversion; write %% for a percent sign");
  static_assert(kError != shm::PrintfError::too_many_fields,
                "more than 32 arguments in one message (each * counts as one)");
  static_assert(kError != shm::PrintfError::width_too_large, "field width above 4095");
  static_assert(kError != shm::PrintfError::precision_too_large, "precision above 4095");
  static_assert(kError != shm::PrintfError::format_too_long, "format longer than 64 KiB");
  static_assert(kError != shm::PrintfError::embedded_nul, "NUL character inside the format");
  static_assert(kMismatch != Mismatch::too_few_arguments,
                "the number of arguments does not match the format: this conversion has none");
  static_assert(kMismatch != Mismatch::too_many_arguments,
                "the number of arguments does not match the format: this argument has no "
                "conversion");
  static_assert(kMismatch != Mismatch::needs_int,
                "the type of an argument does not match its conversion in the format: the width or "
                "precision * takes an int");
  static_assert(kMismatch != Mismatch::needs_integer,
                "the type of an argument does not match its conversion in the format: it takes an "
                "integer; use %s for text, %f for floating point, %p for pointers");
  static_assert(kMismatch != Mismatch::needs_this_size,
                "the type of an argument does not match its conversion in the format: it takes an "
                "integer of another size; change the length modifier");
  static_assert(kMismatch != Mismatch::needs_character,
                "the type of an argument does not match its conversion in the format: it takes a "
                "character or an int");
  static_assert(kMismatch != Mismatch::needs_floating,
                "the type of an argument does not match its conversion in the format: it takes a "
                "double; use %d for integers");
  static_assert(kMismatch != Mismatch::needs_long_double,
                "the type of an argument does not match its conversion in the format: it takes a "
                "long double; remove the L");
  static_assert(kMismatch != Mismatch::needs_double,
                "the type of an argument does not match its conversion in the format: it takes a "
                "double; write L before the conversion of a long double");
  static_assert(kMismatch != Mismatch::needs_text,
                "the type of an argument does not match its conversion in the format: it takes "
                "text (const char*, std::string, std::string_view, std::filesystem::path); use %d "
                "for integers, %ls for wide text");
  static_assert(kMismatch != Mismatch::needs_wide_text,
                "the type of an argument does not match its conversion in the format: it takes a "
                "const wchar_t*");
  static_assert(kMismatch != Mismatch::needs_pointer,
                "the type of an argument does not match its conversion in the format: it takes a "
                "pointer");
  static_assert(kMismatch != Mismatch::needs_support,
                "the type of an argument does not match its conversion in the format: 128-bit "
                "integers have no conversion of printf");
  static constexpr bool kIsSound = kMismatch == Mismatch::none;
};

// The same for a placeholder of a brace format whose specification has the type `kType`.
template <Mismatch kMismatch, std::uint8_t kFormatError, char kType, std::uint32_t kPosition,
          unsigned kArgument, class Arguments>
struct BraceCheck {
  static constexpr auto kError = kMismatch == Mismatch::invalid_format
                                     ? static_cast<shm::BraceError>(kFormatError)
                                     : shm::BraceError::none;
  static constexpr auto kFit = kMismatch == Mismatch::spec_does_not_fit
                                   ? static_cast<shm::BraceFit>(kFormatError)
                                   : shm::BraceFit::fits;
  static_assert(kError != shm::BraceError::format_too_long, "format longer than 64 KiB");
  static_assert(kError != shm::BraceError::embedded_nul, "NUL character inside the format");
  static_assert(kError != shm::BraceError::stray_brace,
                "'}' without '{' in the format; write }} for a brace");
  static_assert(kError != shm::BraceError::too_many_placeholders,
                "more than 128 placeholders in one message");
  static_assert(kError != shm::BraceError::unterminated,
                "a placeholder in the format does not end; write } at its end, {{ for a brace");
  static_assert(kError != shm::BraceError::invalid_argument,
                "a placeholder names neither a position nor an argument; write {{ for a brace");
  static_assert(kError != shm::BraceError::mixed_numbering,
                "positions and automatic numbers in one format; write all of them, or none");
  static_assert(kError != shm::BraceError::invalid_spec, "invalid specification in a placeholder");
  static_assert(kError != shm::BraceError::no_precision,
                "the precision is missing after the point in a placeholder");
  static_assert(kError != shm::BraceError::brace_as_fill, "{ cannot be a fill character");
  static_assert(kError != shm::BraceError::size_too_large,
                "a width or precision above 4095 in the format");
  static_assert(kError != shm::BraceError::not_for_arrays,
                "invalid specification of an array; write :: before that of its elements");
  static_assert(kFit != shm::BraceFit::other_type,
                "the type of an argument does not match its placeholder: the presentation type "
                "belongs to other values; remove it");
  static_assert(kFit != shm::BraceFit::no_sign,
                "the type of an argument does not match its placeholder: a sign is for signed "
                "numbers; remove it");
  static_assert(kFit != shm::BraceFit::no_number,
                "the type of an argument does not match its placeholder: #, 0 and L are for "
                "numbers; remove them");
  static_assert(kFit != shm::BraceFit::no_precision,
                "the type of an argument does not match its placeholder: a precision is for text "
                "and floating-point numbers; remove it");
  static_assert(kMismatch != Mismatch::too_few_arguments,
                "the number of arguments does not match the format: this placeholder has none");
  static_assert(kMismatch != Mismatch::too_many_arguments,
                "the number of arguments does not match the format: this argument has no "
                "placeholder; remove it, or name it with RS_NAMED to record it without text");
  static_assert(kMismatch != Mismatch::too_many_fields, "more than 32 arguments in one message");
  static_assert(kMismatch != Mismatch::unknown_name,
                "no argument has the name in a placeholder; write RS_NAMED(\"name\", value)");
  static_assert(kMismatch != Mismatch::needs_int,
                "the type of an argument does not match its placeholder: a width or precision "
                "takes an integer");
  static_assert(kMismatch != Mismatch::needs_support,
                "Ringside cannot record an argument of this type");
  static constexpr bool kIsSound = kMismatch == Mismatch::none;
};

}  // namespace ringside::detail
