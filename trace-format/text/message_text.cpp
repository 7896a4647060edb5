#include "trace-format/text/message_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include <fmt/compile.h>

#include "shm-layout/field_type_name.hpp"
#include "shm-layout/printf_error_text.hpp"
#include "shm-layout/printf_fields.hpp"
#include "shm-layout/printf_spec.hpp"
#include "trace-format/text/brace_conversion.hpp"
#include "trace-format/text/printf_number.hpp"
#include "trace-format/text/value_text.hpp"

namespace ringside::trace {
namespace {

using shm::FieldType;
using shm::PrintfSpec;
using shm::WidthKind;

constexpr std::string_view kMismatch = "<?>";
constexpr std::size_t kMaxFixedTextBytes = std::size_t{1} << 20;

void explain(std::string* why, std::string text) {
  if (why != nullptr) *why = std::move(text);
}

bool fields_match(const shm::FieldList& wanted, std::span<const FieldType> fields,
                  std::string* why) {
  if (fields.size() != wanted.count) {
    explain(why, "the format records " + std::to_string(wanted.count) + " fields, the site has " +
                     std::to_string(fields.size()));
    return false;
  }
  for (std::size_t index = 0; index < fields.size(); ++index) {
    if (shm::records_as(wanted[index], fields[index])) continue;
    explain(why, "field " + std::to_string(index) + " is " + std::string(name(fields[index])) +
                     ", the format records " + std::string(name(wanted[index].type)));
    return false;
  }
  return true;
}

// Wide strings were cut at the end of a character, narrow ones at any byte.
std::string_view cut(std::string_view text, std::int32_t precision, bool wide) {
  if (precision < 0 || static_cast<std::size_t>(precision) >= text.size()) return text;
  auto bytes = static_cast<std::size_t>(precision);
  if (wide) {
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  }
  return text.substr(0, bytes);
}

void write_decimal(TextSink& sink, std::int64_t number) {
  char* const begin = sink.reserve(24);
  sink.commit(std::to_chars(begin, begin + 24, number).ptr);
}

void write_decimal(TextSink& sink, std::uint64_t number) {
  char* const begin = sink.reserve(24);
  sink.commit(std::to_chars(begin, begin + 24, number).ptr);
}

void write_hex(TextSink& sink, std::uint64_t number) {
  char* const begin = sink.reserve(24);
  sink.commit(std::to_chars(begin, begin + 24, number, 16).ptr);
}

// The shortest text that reads back equal, as {fmt} writes it: its parts are chosen at compile
// time.
template <typename Number>
void write_shortest_form(TextSink& sink, Number number) {
  sink.commit(fmt::format_to(sink.reserve(64), FMT_COMPILE("{}"), number));
}

// The value of a `*` argument; false if it is missing or not an int.
bool star_value(std::span<const Value> args, std::uint16_t index, std::int32_t& number) {
  if (index >= args.size() || args[index].type != FieldType::i32) return false;
  number = static_cast<std::int32_t>(args[index].i64);
  return true;
}

}  // namespace

MessageFormat::Render MessageFormat::choose_render(const Conversion& conversion) {
  const bool plain =
      conversion.flags == 0 && conversion.width == 0 && conversion.width_argument == kNoArgument;
  const bool no_precision =
      conversion.precision < 0 && conversion.precision_argument == kNoArgument;
  const bool hash = (conversion.flags & shm::printf_flag::kHash) != 0;
  switch (conversion.conversion) {
    case 'd':
    case 'i':
      return plain && no_precision ? Render::plain_signed : Render::signed_integer;
    case 'u':
      return plain && no_precision ? Render::plain_unsigned : Render::unsigned_integer;
    case 'x':
      return plain && no_precision ? Render::plain_hex : Render::unsigned_integer;
    case 'o':
    case 'X':
    case 'b':
    case 'B':
      return Render::unsigned_integer;
    case 'c':
      if (conversion.wide) return Render::string;
      return plain ? Render::plain_character : Render::character;
    case 'C':
    case 'S':
    case 's':
      if (conversion.type == FieldType::enumeration) return Render::string;
      return plain && no_precision ? Render::plain_string : Render::string;
    case 'p':
      return Render::pointer;
    default:
      break;
  }
  if (conversion.type == FieldType::f80) return Render::library_long_double;
  const char lower = static_cast<char>(conversion.conversion | 0x20);
  if (hash || lower == 'a') return Render::library_double;
  return plain && conversion.conversion == 'f' && conversion.precision_argument == kNoArgument
             ? Render::plain_fixed
             : Render::floating;
}

void MessageFormat::prepare_library_spec(Conversion& conversion) {
  using namespace shm::printf_flag;
  constexpr struct {
    std::uint8_t flag;
    char character;
  } kFlags[] = {{kMinus, '-'}, {kPlus, '+'}, {kSpace, ' '}, {kHash, '#'}, {kZero, '0'}};
  char* end = conversion.library_spec;
  *end++ = '%';
  for (const auto& [flag, character] : kFlags) {
    if ((conversion.flags & flag) != 0) *end++ = character;
  }
  for (const char character : {'*', '.', '*'}) *end++ = character;
  if (conversion.type == FieldType::f80) *end++ = 'L';
  *end++ = conversion.conversion;
  *end = '\0';
}

void MessageFormat::finish_text() {
  text_bytes_ = static_cast<std::uint32_t>(text_.size());
  text_.append(TextSink::kSlack, '\0');
}

namespace {

// What a record has besides the arguments of its format. No conversion takes an array.
bool is_stack(const FormatField& field) {
  return field.name == "stack" && field.type == shm::array_of(FieldType::pointer);
}

}  // namespace

std::optional<MessageFormat> MessageFormat::parse(std::string_view format,
                                                  std::span<const FieldType> fields,
                                                  std::string* why) {
  const shm::FieldList wanted = shm::printf_fields(format);
  if (!wanted.ok()) {
    explain(why, "format, byte " + std::to_string(wanted.error_offset) + ": " +
                     std::string(message(wanted.error)));
    return std::nullopt;
  }
  if (!fields_match(wanted, fields, why)) return std::nullopt;

  MessageFormat result;
  std::size_t text_begin = 0;
  std::uint16_t argument = 0;
  shm::PrintfParser parser(format);
  for (PrintfSpec spec; parser.next(spec); text_begin = spec.end) {
    result.text_.append(format.substr(text_begin, spec.begin - text_begin));
    if (spec.conversion == '%') {
      result.text_.push_back('%');
      continue;
    }
    Conversion conversion;
    conversion.text_end = static_cast<std::uint32_t>(result.text_.size());
    conversion.flags = static_cast<std::uint8_t>(spec.flags & ~shm::printf_flag::kQuote);
    if (spec.width_kind == WidthKind::literal) conversion.width = spec.width;
    if (spec.width_kind == WidthKind::argument) conversion.width_argument = argument++;
    if (spec.precision_kind == WidthKind::literal) conversion.precision = spec.precision;
    if (spec.precision_kind == WidthKind::argument) conversion.precision_argument = argument++;
    conversion.argument = argument++;
    conversion.type = fields[conversion.argument];
    conversion.conversion = spec.conversion;
    conversion.wide = spec.wide;
    conversion.render = choose_render(conversion);
    prepare_library_spec(conversion);
    result.conversions_.push_back(conversion);
  }
  result.text_.append(format.substr(text_begin));
  result.finish_text();
  return result;
}

std::optional<MessageFormat> MessageFormat::parse_fixed_text(std::string_view text,
                                                             std::span<const FormatField> fields,
                                                             std::string* why) {
  if (fields.size() >= kNoArgument) {
    explain(why, "more than 65534 fields");
    return std::nullopt;
  }
  if (text.size() > kMaxFixedTextBytes) {
    explain(why, "the text exceeds 1 MiB");
    return std::nullopt;
  }
  MessageFormat result;
  result.text_.append(text);
  for (std::size_t index = 0; index < fields.size(); ++index) {
    const FormatField& field = fields[index];
    if (result.text_.size() + field.name.size() > kMaxFixedTextBytes) {
      explain(why, "the text and the field names together exceed 1 MiB");
      return std::nullopt;
    }
    if (!shm::is_valid_code(shm::code(field.type))) {
      explain(why, "field " + std::to_string(index) + " has the undefined type " +
                       std::to_string(shm::code(field.type)));
      return std::nullopt;
    }
    result.text_.append(" ").append(field.name).append("=");
    Conversion conversion;
    conversion.text_end = static_cast<std::uint32_t>(result.text_.size());
    conversion.argument = static_cast<std::uint16_t>(index);
    conversion.type = field.type;
    result.conversions_.push_back(conversion);
  }
  result.finish_text();
  return result;
}

std::optional<MessageFormat> MessageFormat::parse(shm::FormatStyle style, std::string_view format,
                                                  std::span<const FormatField> fields,
                                                  std::string* why) {
  switch (style) {
    case shm::FormatStyle::none:
      return parse_fixed_text(format, fields, why);
    case shm::FormatStyle::printf: {
      std::vector<FieldType> types;
      types.reserve(fields.size());
      for (const FormatField& field : fields) types.push_back(field.type);
      if (!fields.empty() && is_stack(fields.back())) types.pop_back();
      return parse(format, types, why);
    }
    case shm::FormatStyle::brace:
      return parse_brace(format, fields, why);
  }
  explain(why, "undefined format style " + std::to_string(static_cast<unsigned>(style)));
  return std::nullopt;
}

void MessageFormat::write_styled(TextSink& sink, const Conversion& conversion, const Value& value,
                                 std::span<const Value> args) {
  NumberStyle style{conversion.width, conversion.precision, conversion.flags,
                    conversion.conversion};
  if (conversion.width_argument != kNoArgument) {
    std::int32_t width = 0;
    if (!star_value(args, conversion.width_argument, width)) return sink.write(kMismatch);
    if (width < 0) style.flags |= shm::printf_flag::kMinus;
    width = std::clamp(width, -shm::kMaxPrintfWidth, shm::kMaxPrintfWidth);
    style.width = width < 0 ? -width : width;
  }
  if (conversion.precision_argument != kNoArgument) {
    std::int32_t precision = 0;
    if (!star_value(args, conversion.precision_argument, precision)) return sink.write(kMismatch);
    style.precision = std::clamp(precision, -1, shm::kMaxPrintfPrecision);
  }
  switch (conversion.render) {
    case Render::signed_integer:
      return write_signed(sink, value.i64, style);
    case Render::unsigned_integer:
      return write_unsigned(sink, value.u64, style);
    case Render::character: {
      const char character = static_cast<char>(value.u64);
      return write_text(sink, {&character, 1}, style);
    }
    case Render::string: {
      // A precision has no meaning for a wide character and must not cut it.
      const bool whole = conversion.conversion == 'c' || conversion.conversion == 'C';
      const std::int32_t limit = whole ? -1 : style.precision;
      if (value.type == FieldType::enumeration && value.text.empty()) {
        char digits[24];
        const char* const end = std::to_chars(digits, digits + sizeof digits, value.i64).ptr;
        return write_text(sink, cut({digits, static_cast<std::size_t>(end - digits)}, limit, false),
                          style);
      }
      return write_text(sink, cut(value.text, limit, conversion.wide), style);
    }
    case Render::pointer:
      return write_pointer(sink, value.u64, style);
    case Render::library_double:
      return write_library_float(sink, value.f64, conversion.library_spec, style);
    case Render::library_long_double:
      return write_library_float(sink, value.as_f80().value_or(0.0L), conversion.library_spec,
                                 style);
    default:
      return write_float(sink, value.f64, style);
  }
}

void MessageFormat::write(TextSink& sink, const Conversion& conversion,
                          std::span<const Value> args) {
  if (conversion.argument >= args.size() || args[conversion.argument].type != conversion.type) {
    return sink.write(kMismatch);
  }
  const Value& value = args[conversion.argument];
  switch (conversion.render) {
    case Render::plain_signed:
      return write_decimal(sink, value.i64);
    case Render::plain_unsigned:
      return write_decimal(sink, value.u64);
    case Render::plain_hex:
      return write_hex(sink, value.u64);
    case Render::plain_character:
      return sink.put(static_cast<char>(value.u64));
    case Render::plain_string:
      return sink.write(value.text);
    case Render::plain_fixed:
      if (write_small_fixed(sink, value.f64, conversion.precision < 0 ? 6 : conversion.precision)) {
        return;
      }
      return write_styled(sink, conversion, value, args);
    case Render::any_value:
      return write_value(sink, value);
    case Render::shortest_float:
      return write_shortest_form(sink, value.f32);
    case Render::shortest_double:
      return write_shortest_form(sink, value.f64);
    case Render::brace:
      return conversion.brace->write(sink, value, args);
    default:
      return write_styled(sink, conversion, value, args);
  }
}

void MessageFormat::append(std::string& out, std::span<const Value> args) const {
  if (conversions_.empty()) {
    out.append(text_.data(), text_bytes_);
    return;
  }
  static thread_local TextSink sink;
  sink.clear();
  append(sink, args);
  out.append(sink.text());
}

void MessageFormat::append(TextSink& sink, std::span<const Value> args) const {
  std::uint32_t text_begin = 0;
  for (const Conversion& conversion : conversions_) {
    sink.write_padded(text_.data() + text_begin, conversion.text_end - text_begin);
    write(sink, conversion, args);
    text_begin = conversion.text_end;
  }
  sink.write_padded(text_.data() + text_begin, text_bytes_ - text_begin);
}

}  // namespace ringside::trace
