// Writes a value as a placeholder of a brace format requires: the text of {fmt}.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "shm-layout/field_type.hpp"
#include "trace-format/text/brace_spec.hpp"
#include "trace-format/text/conversion_alphabet.hpp"
#include "trace-format/text/text_sink.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::trace {

// Immutable after creation.
class BraceConversion {
 public:
  // The text of an array ends after about so many bytes: a short record of a hostile file could
  // otherwise request gigabytes.
  static constexpr std::size_t kMaxArrayTextBytes = std::size_t{1} << 20;

  // Returns nullopt and the reason if {fmt} refuses the specification for the field's type.
  static std::optional<BraceConversion> make(const Placeholder& placeholder,
                                             std::span<const FormatField> fields, std::string* why);

  // `value` must have the type of the placeholder's field; `args` are all values, for widths.
  void write(TextSink& sink, const Value& value, std::span<const Value> args) const;

  // The characters that write() can write.
  ConversionAlphabet alphabet() const;

 private:
  enum class Writer : std::uint8_t { integer, string, library };

  struct Size {
    std::int32_t width = 0;
    std::int32_t precision = -1;
  };

  BraceConversion() = default;
  std::string format_for_library(const Size& size) const;
  void choose_writer(shm::FieldType element);
  bool size_of(std::span<const Value> args, Size& size) const;
  void write_array(TextSink& sink, const Value& array, const Size& size) const;
  void write_one(TextSink& sink, const Value& value, const Size& size) const;
  void write_integer(TextSink& sink, const Value& value, std::int32_t width) const;
  bool write_string(TextSink& sink, const Value& value, const Size& size) const;
  void write_by_library(TextSink& sink, const Value& value, const Size& size) const;

  BraceSpec spec_;
  shm::FieldType type_ = shm::FieldType::none;
  shm::FieldType width_type_ = shm::FieldType::none;
  shm::FieldType precision_type_ = shm::FieldType::none;
  Writer writer_ = Writer::library;
  bool without_brackets_ = false;
  // For {fmt}: "{:", fill, alignment, sign, # and 0; then come width and precision; then L, type
  // and "}".
  std::string before_size_;
  std::string after_size_;
  std::string library_format_;  // all of it, unless the size is in arguments
};

}  // namespace ringside::trace
