#pragma once
// The signature of a statement with a brace format.

#include <cstddef>
#include <cstdint>

#include "argument_fields.hpp"
#include "argument_texts.hpp"
#include "shm-layout/brace_fit.hpp"
#include "shm-layout/brace_parser.hpp"
#include "signature.hpp"

namespace ringside::detail {

class BraceSignature {
 public:
  // `texts`: the source text of the format and the arguments.
  constexpr BraceSignature(shm::FormatText format, const ArgumentField* arguments,
                           std::size_t count, const FieldSequence& fields, shm::FormatText texts)
      : format_(format),
        arguments_(arguments),
        count_(count),
        parser_(format),
        texts_(texts, count) {
    if (!add_fields(fields)) return;
    shm::BraceArgument argument;
    shm::BraceSpec spec;
    while (parser_.next(argument)) {
      const std::size_t index = resolve(argument);
      if (index == count_) return;
      const bool has_spec = !parser_.take_end();
      const shm::FieldType type = arguments_[index].type;
      if (has_spec && !parser_.read_spec(shm::is_array(type), spec)) break;
      placeholders_ += arguments_[index].field_count;
      if (placeholders_ > shm::kMaxBracePlaceholders) {
        fail(Mismatch::invalid_format, index);
        result_.format_error = static_cast<std::uint8_t>(shm::BraceError::too_many_placeholders);
        return;
      }
      if (!has_spec) continue;
      if (arguments_[index].has_parts) {
        fail(Mismatch::spec_for_parts, index);
        return;
      }
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
      fail(Mismatch::invalid_format, kNoArgument);
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
  static constexpr std::size_t kNoArgument = SIZE_MAX;  // its number is 0

  constexpr void fail(Mismatch mismatch, std::size_t index) {
    result_.mismatch = mismatch;
    result_.argument = static_cast<std::uint16_t>(index + 1);
    result_.position = parser_.begin();
  }

  constexpr bool add_fields(const FieldSequence& fields) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (arguments_[i].is_unknown) {
        fail(Mismatch::needs_support, i);
        return false;
      }
      result_.has_types = result_.has_types || arguments_[i].has_parts;
    }
    if (fields.is_too_long || fields.is_too_deep) {
      fail(fields.is_too_long ? Mismatch::too_many_fields : Mismatch::too_deep, kNoArgument);
      return false;
    }
    for (std::size_t i = 0; i < fields.count; ++i) result_.add_typed(fields.types[i], false);
    return true;
  }

  // The argument's index; count_ after an error.
  constexpr std::size_t resolve(const shm::BraceArgument& argument) {
    const std::size_t index =
        argument.is_named ? texts_.find(format_, argument.name_begin, argument.name_end, count_)
                          : (argument.number < count_ ? argument.number : count_);
    if (index == count_) {
      fail(argument.is_named ? Mismatch::unknown_name : Mismatch::too_few_arguments,
           argument.is_named ? kNoArgument : argument.number);
    } else {
      is_used_[index] = true;
    }
    return index;
  }

  constexpr bool check_size(const shm::BraceArgument& argument) {
    if (!argument.is_present) return true;
    const std::size_t index = resolve(argument);
    if (index == count_) return false;
    if (shm::is_integer(arguments_[index].type)) return true;
    fail(Mismatch::needs_int, index);
    return false;
  }

  shm::FormatText format_;
  const ArgumentField* arguments_;
  std::size_t count_;
  shm::BraceParser parser_;
  ArgumentTexts texts_;
  Signature result_;
  bool is_used_[RS_MAX_FIELDS] = {};
  std::size_t placeholders_ = 0;  // of fields
};

}  // namespace ringside::detail
