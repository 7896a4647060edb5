// Messages in brace style.

#include <cstddef>
#include <utility>

#include "trace-format/text/brace_conversion.hpp"
#include "trace-format/text/brace_spec.hpp"
#include "trace-format/text/message_text.hpp"

namespace ringside::trace {

// The conversions of printf that write the same text are reused: they are the fastest ones.
MessageFormat::Render MessageFormat::choose_brace_render(const BraceSpec& spec,
                                                         Conversion& conversion) {
  using shm::FieldType;
  const char type = spec.type;
  if (conversion.type == FieldType::f64 && type == 'f' && spec.precision >= 0 &&
      spec.precision <= 9) {
    BraceSpec rest = spec;
    rest.precision = -1;
    if (!rest.is_plain() || spec.localized) return Render::brace;
    conversion.precision = spec.precision;
    conversion.conversion = 'f';
    return Render::plain_fixed;
  }
  if (!spec.is_plain() || spec.localized) return Render::brace;
  const bool no_type = type == '\0';
  switch (conversion.type) {
    case FieldType::i8:
    case FieldType::i16:
    case FieldType::i32:
    case FieldType::i64:
      return no_type || type == 'd' ? Render::plain_signed : Render::brace;
    case FieldType::u8:
    case FieldType::u16:
    case FieldType::u32:
    case FieldType::u64:
      if (type == 'x') return Render::plain_hex;
      return no_type || type == 'd' ? Render::plain_unsigned : Render::brace;
    case FieldType::character:
      return no_type || type == 'c' ? Render::plain_character : Render::brace;
    case FieldType::string:
      return no_type || type == 's' ? Render::plain_string : Render::brace;
    case FieldType::f32:
      return no_type ? Render::shortest_float : Render::brace;
    case FieldType::f64:
      return no_type ? Render::shortest_double : Render::brace;
    default:
      return Render::brace;
  }
}

std::optional<MessageFormat> MessageFormat::parse_brace(std::string_view format,
                                                        std::span<const FormatField> fields,
                                                        std::string* why) {
  for (std::size_t index = 0; index < fields.size(); ++index) {
    if (shm::is_valid_code(shm::code(fields[index].type))) continue;
    if (why != nullptr) {
      *why = "field " + std::to_string(index) + " has the undefined type " +
             std::to_string(shm::code(fields[index].type));
    }
    return std::nullopt;
  }
  std::optional<BraceFormat> parsed = parse_brace_format(format, fields, why);
  if (!parsed) return std::nullopt;
  std::vector<BraceConversion> braces;
  braces.reserve(parsed->placeholders.size());
  for (const Placeholder& placeholder : parsed->placeholders) {
    std::optional<BraceConversion> brace = BraceConversion::make(placeholder, fields, why);
    if (!brace) return std::nullopt;
    braces.push_back(std::move(*brace));
  }
  MessageFormat result;
  result.text_ = std::move(parsed->text);
  result.braces_ = std::make_shared<const std::vector<BraceConversion>>(std::move(braces));
  for (std::size_t index = 0; index < parsed->placeholders.size(); ++index) {
    const Placeholder& placeholder = parsed->placeholders[index];
    Conversion conversion;
    conversion.text_end = static_cast<std::uint32_t>(parsed->text_ends[index]);
    conversion.argument = placeholder.argument;
    conversion.type = fields[placeholder.argument].type;
    conversion.brace = &(*result.braces_)[index];
    conversion.render = choose_brace_render(placeholder.spec, conversion);
    result.conversions_.push_back(conversion);
  }
  result.finish_text();
  return result;
}

}  // namespace ringside::trace
