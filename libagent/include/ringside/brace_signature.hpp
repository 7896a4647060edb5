#pragma once
// The signature of a statement with a brace format.

#include <cstddef>
#include <cstdint>

#include "argument_kind.hpp"
#include "argument_texts.hpp"
#include "shm-layout/brace_fit.hpp"
#include "shm-layout/brace_parser.hpp"
#include "signature.hpp"

namespace ringside::detail {

// The field that records an argument as it is; none: no style can record it.
constexpr shm::FieldType natural_field(const Argument& argument) {
  switch (argument.kind) {
    case ArgumentKind::boolean:
      return shm::FieldType::boolean;
    case ArgumentKind::character:
      return shm::FieldType::character;
    case ArgumentKind::integer:
    case ArgumentKind::enumeration:
      return integer_field(argument.exact_bytes, argument.exact_signed);
    case ArgumentKind::f32:
      return shm::FieldType::f32;
    case ArgumentKind::f64:
      return shm::FieldType::f64;
    case ArgumentKind::f80:
      return shm::FieldType::f80;
    case ArgumentKind::text_pointer:
    case ArgumentKind::wide_pointer:
    case ArgumentKind::text:
    case ArgumentKind::path:
      return shm::FieldType::string;
    case ArgumentKind::pointer:
      return shm::FieldType::pointer;
    case ArgumentKind::wide_character:
    case ArgumentKind::unsupported:
      break;
  }
  return shm::FieldType::none;
}

class BraceSignature {
 public:
  // `texts`: the source text of the format and the arguments.
  constexpr BraceSignature(shm::FormatText format, const Argument* arguments, std::size_t count,
                           shm::FormatText texts)
      : format_(format), count_(count), parser_(format), texts_(texts, count) {
    if (!add_fields(arguments)) return;
    shm::BraceArgument argument;
    shm::BraceSpec spec;
    while (parser_.next(argument)) {
      const std::size_t index = resolve(argument);
      if (index == count_) return;
      const shm::FieldType type = types_[index];
      if (!parser_.read_spec(shm::is_array(type), spec)) break;
      const shm::BraceFit fit = shm::fit(spec, type);
      if (fit != shm::BraceFit::fits) {
        fail(Mismatch::spec_does_not_fit, index);
        result_.format_error = static_cast<std::uint8_t>(fit);
        result_.conversion = spec.type;
        return;
      }
      if (!check_size(spec.width_argument) || !check_size(spec.precision_argument)) return;
    }
    if (parser_.error() != shm::BraceError::none) {
      fail(Mismatch::invalid_format, 0);
      result_.format_error = static_cast<std::uint8_t>(parser_.error());
      result_.position = parser_.error_offset();
      return;
    }
    for (std::size_t i = 0; i < count_; ++i) {
      if (is_used_[i] || texts_.is_named(i)) continue;
      fail(Mismatch::too_many_arguments, i);
      return;
    }
  }

  constexpr const Signature& result() const { return result_; }

 private:
  constexpr void fail(Mismatch mismatch, std::size_t index) {
    result_.mismatch = mismatch;
    result_.argument = static_cast<std::uint8_t>(index + 1);
    result_.position = parser_.begin();
  }

  constexpr bool add_fields(const Argument* arguments) {
    if (count_ > RS_MAX_FIELDS) {
      fail(Mismatch::too_many_fields, RS_MAX_FIELDS);
      return false;
    }
    for (std::size_t i = 0; i < count_; ++i) {
      types_[i] = natural_field(arguments[i]);
      if (types_[i] == shm::FieldType::none) {
        fail(Mismatch::needs_support, i);
        return false;
      }
      result_.add(types_[i], false, 0);
    }
    return true;
  }

  // The argument's index; count_ after an error.
  constexpr std::size_t resolve(const shm::BraceArgument& argument) {
    const std::size_t index =
        argument.is_named ? texts_.find(format_, argument.name_begin, argument.name_end, count_)
                          : (argument.number < count_ ? argument.number : count_);
    if (index == count_) {
      fail(argument.is_named ? Mismatch::unknown_name : Mismatch::too_few_arguments,
           argument.is_named ? 0 : argument.number);
    } else {
      is_used_[index] = true;
    }
    return index;
  }

  constexpr bool check_size(const shm::BraceArgument& argument) {
    if (!argument.is_present) return true;
    const std::size_t index = resolve(argument);
    if (index == count_) return false;
    if (shm::is_integer(types_[index])) return true;
    fail(Mismatch::needs_int, index);
    return false;
  }

  shm::FormatText format_;
  std::size_t count_;
  shm::BraceParser parser_;
  ArgumentTexts texts_;
  Signature result_;
  shm::FieldType types_[RS_MAX_FIELDS] = {};
  bool is_used_[RS_MAX_FIELDS] = {};
};

}  // namespace ringside::detail
