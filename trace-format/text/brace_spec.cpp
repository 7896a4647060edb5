#include "trace-format/text/brace_spec.hpp"

#include <cstddef>

#include "shm-layout/brace_parser.hpp"
#include "shm-layout/field_type_name.hpp"

namespace ringside::trace {
namespace {

using shm::BraceError;
using shm::FieldType;

std::string text_of(BraceError error) {
  switch (error) {
    case BraceError::none:
      break;
    case BraceError::format_too_long:
      return "the format exceeds " + std::to_string(shm::kMaxBraceFormatBytes) + " bytes";
    case BraceError::embedded_nul:
      return "a NUL";
    case BraceError::stray_brace:
      return "'}' without '{'; write \"}}\" for a brace";
    case BraceError::too_many_placeholders:
      return "more than " + std::to_string(shm::kMaxBracePlaceholders) + " placeholders";
    case BraceError::unterminated:
      return "expected '}' at the end of the placeholder";
    case BraceError::unterminated_size:
      return "expected '}' at the end of the width or precision";
    case BraceError::invalid_argument:
      return "expected a position, a name, ':' or '}'";
    case BraceError::mixed_numbering:
      return "both positions and automatic numbering";
    case BraceError::invalid_spec:
      return "invalid specification";
    case BraceError::no_precision:
      return "a precision is missing after '.'";
    case BraceError::brace_as_fill:
      return "'{' cannot be a fill character";
    case BraceError::size_too_large:
      return "a width or precision exceeds " + std::to_string(shm::kMaxBraceSize);
    case BraceError::not_for_arrays:
      return "expected 'n', or ':' and a specification of the elements";
  }
  return {};
}

// Finds the fields of a format's placeholders.
class PlaceholderReader {
 public:
  PlaceholderReader(std::string_view format, std::span<const FormatField> fields)
      : format_(format), fields_(fields), parser_(format) {}

  std::optional<BraceFormat> read(std::string* why) {
    shm::BraceArgument argument;
    std::size_t text_begin = 0;
    while (reason_.empty() && parser_.next(argument)) {
      add_text(text_begin, parser_.begin());
      read_placeholder(argument);
      text_begin = parser_.end();
    }
    if (reason_.empty() && parser_.error() != BraceError::none) {
      fail(parser_.error_offset(), text_of(parser_.error()));
    }
    if (reason_.empty()) {
      add_text(text_begin, format_.size());
      return std::move(result_);
    }
    if (why != nullptr) *why = "format, byte " + std::to_string(offset_) + ": " + reason_;
    return std::nullopt;
  }

 private:
  // In text, braces are doubled.
  void add_text(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
      const char c = format_[at];
      result_.text.push_back(c);
      if (c == '{' || c == '}') ++at;
    }
  }

  void read_placeholder(const shm::BraceArgument& argument) {
    Placeholder found;
    if (!find(argument, found.argument)) return;
    const FieldType type = fields_[found.argument].type;
    shm::BraceSpec spec;
    if (!parser_.read_spec(shm::is_array(type), spec)) return;
    if (!find_size(spec.width_argument, found.spec.width_argument) ||
        !find_size(spec.precision_argument, found.spec.precision_argument)) {
      return;
    }
    found.begin = parser_.begin();
    found.end = parser_.end();
    take(spec, found, type);
    result_.text_ends.push_back(result_.text.size());
    result_.placeholders.push_back(std::move(found));
  }

  void take(const shm::BraceSpec& spec, Placeholder& found, FieldType type) const {
    BraceSpec& taken = found.spec;
    taken.fill = format_.substr(spec.fill_begin, spec.fill_bytes);
    taken.alignment = static_cast<BraceAlignment>(spec.alignment);
    taken.sign = spec.sign;
    taken.type = spec.type;
    taken.alternate = spec.alternate;
    taken.zero = spec.zero;
    taken.localized = spec.localized;
    if (spec.width >= 0) taken.width = spec.width;
    taken.precision = spec.precision;
    found.without_brackets = spec.without_brackets;
    const FieldType element = shm::element_type(type);
    const bool is_quoted = element == FieldType::string || element == FieldType::character;
    if (shm::is_array(type) && !spec.is_present && is_quoted) taken.type = '?';
  }

  // False after an error.
  bool find(const shm::BraceArgument& argument, std::uint16_t& index) {
    if (!argument.is_named) {
      index = static_cast<std::uint16_t>(argument.number);
      if (argument.number < fields_.size() && argument.number < BraceSpec::kNoArgument) return true;
      fail(argument.begin, "position " + std::to_string(argument.number) + ", but the site has " +
                               std::to_string(fields_.size()) + " fields");
      return false;
    }
    const std::string_view name =
        format_.substr(argument.name_begin, argument.name_end - argument.name_begin);
    for (std::size_t i = 0; i < fields_.size() && i < BraceSpec::kNoArgument; ++i) {
      if (fields_[i].name != name) continue;
      index = static_cast<std::uint16_t>(i);
      return true;
    }
    fail(argument.begin, "no field has the name \"" + std::string(name) + "\"");
    return false;
  }

  bool find_size(const shm::BraceArgument& argument, std::uint16_t& index) {
    if (!argument.is_present) return true;
    if (!find(argument, index)) return false;
    if (shm::is_integer(fields_[index].type)) return true;
    fail(argument.begin - 1, "a width or precision from field " + std::to_string(index) +
                                 ", which is " + std::string(shm::name(fields_[index].type)) +
                                 " instead of an integer");
    return false;
  }

  void fail(std::size_t offset, std::string reason) {
    offset_ = offset;
    reason_ = std::move(reason);
  }

  std::string_view format_;
  std::span<const FormatField> fields_;
  shm::BraceParser parser_;
  std::size_t offset_ = 0;
  std::string reason_;
  BraceFormat result_;
};

}  // namespace

std::optional<BraceFormat> parse_brace_format(std::string_view format,
                                              std::span<const FormatField> fields,
                                              std::string* why) {
  return PlaceholderReader(format, fields).read(why);
}

}  // namespace ringside::trace
