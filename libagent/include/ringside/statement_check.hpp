#pragma once
// Refuses a statement whose format and arguments do not belong together, with a message of the
// compiler that names everything in at most three lines:
//
//   ... [with auto:1 = ringside::Refused<ringside::Because::it_takes_an_integer__..., 'd', 6, 1,
//   double>] ... error: static assertion failed: Ringside refuses ("value %d of %s", d, text)
//
// Such a message can show template arguments and text of the source, and nothing else: so the
// reasons are enumerators.

#include <cstddef>
#include <cstdint>

#include "shm-layout/brace_error.hpp"
#include "shm-layout/brace_fit.hpp"
#include "shm-layout/printf_error.hpp"
#include "signature.hpp"

namespace ringside {

/// Why a statement is refused, and what to write instead. Never used at run time.
enum class Because : std::uint8_t {
  none,
  // both styles
  the_format_is_longer_than_64_KiB,
  the_format_contains_a_NUL_character,
  there_are_more_than_255_arguments__each_star_counts,
  // printf
  this_conversion_has_no_argument,
  this_argument_has_no_conversion,
  percent_n_writes_to_memory,
  percent_m_is_not_supported__pass_strerror_of_errno_to_percent_s,
  positional_arguments_are_not_supported__pass_them_in_the_order_of_the_text,
  there_is_no_such_conversion__write_two_percent_signs_for_one,
  the_conversion_cannot_have_this_length_modifier,
  the_format_ends_inside_a_conversion__write_two_percent_signs_for_one,
  the_width_exceeds_4095,
  the_precision_exceeds_4095,
  the_width_or_precision_takes_an_int,
  it_takes_an_integer__write_s_for_text_f_for_floating_point_p_for_pointers,
  it_takes_an_integer_of_another_size__change_the_length_modifier,
  it_takes_a_character_or_an_int,
  it_takes_a_double__write_d_for_integers,
  it_takes_a_long_double__remove_the_L,
  it_takes_a_double__write_L_for_a_long_double,
  it_takes_text__write_d_for_integers_ls_for_wide_text,
  it_takes_wide_text__write_s_for_other_text,
  it_takes_a_pointer,
  it_takes_no_128_bit_integer__use_RS_FMT,
  // braces
  this_placeholder_has_no_argument,
  a_brace_is_not_closed__write_two_for_one,
  a_brace_is_not_opened__write_two_for_one,
  there_are_more_than_512_placeholders,
  it_names_neither_a_position_nor_an_argument__write_two_braces_for_one,
  positions_and_automatic_numbers_are_mixed__write_one_of_them,
  the_specification_is_invalid,
  the_precision_is_missing_after_the_point,
  a_brace_cannot_be_a_fill_character,
  the_width_or_precision_exceeds_4095,
  the_specification_of_an_array_is_invalid__write_two_colons_before_that_of_its_elements,
  the_presentation_type_is_for_other_values__remove_it,
  a_sign_is_for_signed_numbers__remove_it,
  alternate_form_and_zeros_are_for_numbers__remove_them,
  a_precision_is_for_text_and_floating_point__remove_it,
  this_argument_has_no_placeholder__remove_it_or_name_it_with_RS_NAMED,
  no_argument_has_this_name__write_RS_NAMED,
  the_width_or_precision_takes_an_integer,
  Ringside_cannot_record_this_type__list_its_members_with_RS_ADAPT_or_specialise_ringside_Fields,
  there_are_more_than_255_fields__each_part_of_an_argument_counts,
  a_value_with_parts_takes_no_specification__remove_it,
  its_parts_are_nested_deeper_than_8_levels,
  // events
  an_event_needs_a_name,
  the_first_value_of_a_histogram_is_its_sample__a_number,
};

/// A refused statement.
///
/// @tparam kBecause  the reason and the remedy
/// @tparam kConversion  the conversion, or the type in a placeholder's specification; 0: none
/// @tparam kAtByte  where it is in the format, from 0
/// @tparam kArgument  the number of the argument after the format, from 1; 0: none, the format is
///   wrong by itself
/// @tparam Type  the argument's type; void: there is none
template <Because kBecause, char kConversion, std::uint32_t kAtByte, unsigned kArgument, class Type>
struct Refused {
  static constexpr bool kIsAccepted = false;
};

namespace detail {

struct Accepted {
  static constexpr bool kIsAccepted = true;
};

constexpr Because because(shm::PrintfError error) {
  switch (error) {
    case shm::PrintfError::none:
      break;
    case shm::PrintfError::writes_memory:
      return Because::percent_n_writes_to_memory;
    case shm::PrintfError::prints_errno:
      return Because::percent_m_is_not_supported__pass_strerror_of_errno_to_percent_s;
    case shm::PrintfError::positional:
      return Because::positional_arguments_are_not_supported__pass_them_in_the_order_of_the_text;
    case shm::PrintfError::unknown_conversion:
      return Because::there_is_no_such_conversion__write_two_percent_signs_for_one;
    case shm::PrintfError::invalid_length:
      return Because::the_conversion_cannot_have_this_length_modifier;
    case shm::PrintfError::incomplete:
      return Because::the_format_ends_inside_a_conversion__write_two_percent_signs_for_one;
    case shm::PrintfError::too_many_fields:
      return Because::there_are_more_than_255_arguments__each_star_counts;
    case shm::PrintfError::width_too_large:
      return Because::the_width_exceeds_4095;
    case shm::PrintfError::precision_too_large:
      return Because::the_precision_exceeds_4095;
    case shm::PrintfError::format_too_long:
      return Because::the_format_is_longer_than_64_KiB;
    case shm::PrintfError::embedded_nul:
      return Because::the_format_contains_a_NUL_character;
  }
  return Because::none;
}

constexpr Because because(shm::BraceError error) {
  switch (error) {
    case shm::BraceError::none:
      break;
    case shm::BraceError::format_too_long:
      return Because::the_format_is_longer_than_64_KiB;
    case shm::BraceError::embedded_nul:
      return Because::the_format_contains_a_NUL_character;
    case shm::BraceError::stray_brace:
      return Because::a_brace_is_not_opened__write_two_for_one;
    case shm::BraceError::too_many_placeholders:
      return Because::there_are_more_than_512_placeholders;
    case shm::BraceError::unterminated:
    case shm::BraceError::unterminated_size:
      return Because::a_brace_is_not_closed__write_two_for_one;
    case shm::BraceError::invalid_argument:
      return Because::it_names_neither_a_position_nor_an_argument__write_two_braces_for_one;
    case shm::BraceError::mixed_numbering:
      return Because::positions_and_automatic_numbers_are_mixed__write_one_of_them;
    case shm::BraceError::invalid_spec:
      return Because::the_specification_is_invalid;
    case shm::BraceError::no_precision:
      return Because::the_precision_is_missing_after_the_point;
    case shm::BraceError::brace_as_fill:
      return Because::a_brace_cannot_be_a_fill_character;
    case shm::BraceError::size_too_large:
      return Because::the_width_or_precision_exceeds_4095;
    case shm::BraceError::not_for_arrays:
      return Because::
          the_specification_of_an_array_is_invalid__write_two_colons_before_that_of_its_elements;
  }
  return Because::none;
}

constexpr Because because(shm::BraceFit fit) {
  switch (fit) {
    case shm::BraceFit::fits:
      break;
    case shm::BraceFit::other_type:
      return Because::the_presentation_type_is_for_other_values__remove_it;
    case shm::BraceFit::no_sign:
      return Because::a_sign_is_for_signed_numbers__remove_it;
    case shm::BraceFit::no_number:
      return Because::alternate_form_and_zeros_are_for_numbers__remove_them;
    case shm::BraceFit::no_precision:
      return Because::a_precision_is_for_text_and_floating_point__remove_it;
  }
  return Because::none;
}

constexpr Because because(std::uint8_t style, Mismatch mismatch, std::uint8_t format_error) {
  const bool is_brace = style == RS_STYLE_BRACE;
  switch (mismatch) {
    case Mismatch::none:
      break;
    case Mismatch::invalid_format:
      return is_brace ? because(static_cast<shm::BraceError>(format_error))
                      : because(static_cast<shm::PrintfError>(format_error));
    case Mismatch::spec_does_not_fit:
      return because(static_cast<shm::BraceFit>(format_error));
    case Mismatch::too_few_arguments:
      return is_brace ? Because::this_placeholder_has_no_argument
                      : Because::this_conversion_has_no_argument;
    case Mismatch::too_many_arguments:
      return is_brace
                 ? Because::this_argument_has_no_placeholder__remove_it_or_name_it_with_RS_NAMED
                 : Because::this_argument_has_no_conversion;
    case Mismatch::needs_int:
      return is_brace ? Because::the_width_or_precision_takes_an_integer
                      : Because::the_width_or_precision_takes_an_int;
    case Mismatch::needs_integer:
      return Because::it_takes_an_integer__write_s_for_text_f_for_floating_point_p_for_pointers;
    case Mismatch::needs_this_size:
      return Because::it_takes_an_integer_of_another_size__change_the_length_modifier;
    case Mismatch::needs_character:
      return Because::it_takes_a_character_or_an_int;
    case Mismatch::needs_floating:
      return Because::it_takes_a_double__write_d_for_integers;
    case Mismatch::needs_long_double:
      return Because::it_takes_a_long_double__remove_the_L;
    case Mismatch::needs_double:
      return Because::it_takes_a_double__write_L_for_a_long_double;
    case Mismatch::needs_text:
      return Because::it_takes_text__write_d_for_integers_ls_for_wide_text;
    case Mismatch::needs_wide_text:
      return Because::it_takes_wide_text__write_s_for_other_text;
    case Mismatch::needs_pointer:
      return Because::it_takes_a_pointer;
    case Mismatch::needs_support:
      return style == RS_STYLE_PRINTF
                 ? Because::it_takes_no_128_bit_integer__use_RS_FMT
                 : Because::
                       Ringside_cannot_record_this_type__list_its_members_with_RS_ADAPT_or_specialise_ringside_Fields;
    case Mismatch::too_many_fields:
      return Because::there_are_more_than_255_fields__each_part_of_an_argument_counts;
    case Mismatch::spec_for_parts:
      return Because::a_value_with_parts_takes_no_specification__remove_it;
    case Mismatch::too_deep:
      return Because::its_parts_are_nested_deeper_than_8_levels;
    case Mismatch::empty_name:
      return Because::an_event_needs_a_name;
    case Mismatch::needs_sample:
      return Because::the_first_value_of_a_histogram_is_its_sample__a_number;
    case Mismatch::unknown_name:
      return Because::no_argument_has_this_name__write_RS_NAMED;
  }
  return Because::none;
}

// The type at `kIndex`; void if there is none.
template <unsigned kIndex, class... Types>
struct TypeAt {
  using type = void;
};
template <class First, class... Others>
struct TypeAt<0, First, Others...> {
  using type = First;
};
template <unsigned kIndex, class First, class... Others>
struct TypeAt<kIndex, First, Others...> : TypeAt<kIndex - 1, Others...> {};

template <class... Args>
struct Arguments;

// The parts of Signature::fault().
template <std::uint64_t kFault>
struct StatementFault {
  static constexpr auto kMismatch = static_cast<Mismatch>(kFault & 0xff);
  static constexpr auto kFormatError = static_cast<std::uint8_t>(kFault >> 8 & 0xff);
  static constexpr auto kConversion = static_cast<char>(kFault >> 16 & 0xff);
  static constexpr unsigned kArgument = kFault >> 24 & 0xffff;
  static constexpr std::uint32_t kAtByte = kFault >> 40;
};

// What the compiler says of a statement of `kStyle` with `kFault` and these `Arguments`.
template <std::uint8_t kStyle, std::uint64_t kFault, class Arguments>
struct StatementCheck;

template <std::uint8_t kStyle, class... Args>
struct StatementCheck<kStyle, 0, Arguments<Args...>> {
  using type = Accepted;
};

template <std::uint8_t kStyle, std::uint64_t kFault, class... Args>
struct StatementCheck<kStyle, kFault, Arguments<Args...>> {
  using Fault = StatementFault<kFault>;
  static constexpr Because kBecause = because(kStyle, Fault::kMismatch, Fault::kFormatError);
  // 0 - 1 is the index of no argument.
  using Type = typename TypeAt<Fault::kArgument - 1, Args...>::type;
  using type = Refused<kBecause, Fault::kConversion, Fault::kAtByte, Fault::kArgument, Type>;
};

}  // namespace detail
}  // namespace ringside
