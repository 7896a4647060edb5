#include "trace-format/text/brace_conversion.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <locale>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "shm-layout/brace_parser.hpp"
#include "shm-layout/field_type_name.hpp"
#include "trace-format/text/array_elements.hpp"

namespace ringside::trace {
namespace {

using shm::FieldType;

constexpr std::string_view kNoValue = "<?>";
constexpr std::string_view kNumberTypes = "dxXobBc";

std::string hex_pairs(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    const auto bits = static_cast<unsigned char>(byte);
    text += kDigits[bits >> 4];
    text += kDigits[bits & 15];
  }
  return text;
}

std::size_t digits_of(char (&digits)[64], std::uint64_t number, char type) {
  const int base = type == 'x' || type == 'X'   ? 16
                   : type == 'o'                ? 8
                   : type == 'b' || type == 'B' ? 2
                                                : 10;
  const char* const end = std::to_chars(digits, digits + sizeof digits, number, base).ptr;
  const auto count = static_cast<std::size_t>(end - digits);
  if (type == 'X') {
    for (char& digit : std::span(digits, count)) {
      if (digit >= 'a') digit = static_cast<char>(digit - 'a' + 'A');
    }
  }
  return count;
}

// The width or precision in an argument, within -1..shm::kMaxBraceSize.
std::int32_t bounded(const Value& value) {
  if (const auto narrow = value.as_i64()) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(*narrow, -1, shm::kMaxBraceSize));
  }
  if (const auto number = value.as_i128()) {
    return static_cast<std::int32_t>(std::clamp<Int128>(*number, -1, shm::kMaxBraceSize));
  }
  return static_cast<std::int32_t>(
      std::min<UInt128>(value.as_u128().value_or(0), static_cast<UInt128>(shm::kMaxBraceSize)));
}

void write_fill(TextSink& sink, std::string_view character, std::size_t count) {
  if (character.size() == 1) return sink.fill(character[0], count);
  for (; count > 0; --count) sink.write(character);
}

bool is_all_ascii(std::string_view text) {
  unsigned char all = 0;
  for (const char character : text) all |= static_cast<unsigned char>(character);
  return all < 0x80;
}

// Text between two pieces of padding. The alignment `none` is that of text: left.
class Padding {
 public:
  Padding(TextSink& sink, const BraceSpec& spec, BraceAlignment alignment, std::size_t padding)
      : sink_(sink),
        fill_(spec.fill.empty() ? std::string_view(" ") : std::string_view(spec.fill)) {
    if (padding == 0) return;
    const std::size_t before = alignment == BraceAlignment::right    ? padding
                               : alignment == BraceAlignment::center ? padding / 2
                                                                     : 0;
    write_fill(sink_, fill_, before);
    after_ = padding - before;
  }
  ~Padding() { write_fill(sink_, fill_, after_); }
  Padding(const Padding&) = delete;
  Padding& operator=(const Padding&) = delete;

 private:
  TextSink& sink_;
  std::string_view fill_;
  std::size_t after_ = 0;
};

}  // namespace

std::optional<BraceConversion> BraceConversion::make(const Placeholder& placeholder,
                                                     std::span<const FormatField> fields,
                                                     std::string* why) {
  BraceConversion result;
  const BraceSpec& spec = result.spec_ = placeholder.spec;
  result.type_ = fields[placeholder.argument].type;
  result.without_brackets_ = placeholder.without_brackets;
  if (spec.width_argument != BraceSpec::kNoArgument) {
    result.width_type_ = fields[spec.width_argument].type;
  }
  if (spec.precision_argument != BraceSpec::kNoArgument) {
    result.precision_type_ = fields[spec.precision_argument].type;
  }
  std::string& before = result.before_size_;
  before = "{:" + spec.fill;
  if (spec.alignment != BraceAlignment::none) before += static_cast<char>(spec.alignment);
  if (spec.sign != '\0') before += spec.sign;
  if (spec.alternate) before += '#';
  if (spec.zero) before += '0';
  std::string& after = result.after_size_;
  if (spec.localized) after += 'L';
  if (spec.type != '\0') after += spec.type;
  after += '}';

  // {fmt} itself decides whether a specification suits a type.
  const bool is_array = shm::is_array(result.type_);
  const FieldType element = is_array ? shm::element_type(result.type_) : result.type_;
  const bool with_precision = spec.precision >= 0 || result.precision_type_ != FieldType::none;
  Value sample;
  sample.type = element;
  TextSink text;
  try {
    result.write_by_library(text, sample, {spec.width, with_precision ? 1 : -1});
  } catch (const fmt::format_error& error) {
    if (why != nullptr) {
      *why = "format, byte " + std::to_string(placeholder.begin) + ": " + error.what() +
             "; the field is " + std::string(shm::name(result.type_));
    }
    return std::nullopt;
  }
  if (!spec.is_dynamic()) {
    result.library_format_ = result.format_for_library({spec.width, spec.precision});
  }
  result.choose_writer(element);
  return result;
}

std::string BraceConversion::format_for_library(const Size& size) const {
  std::string format = before_size_;
  if (size.width > 0) format += std::to_string(size.width);
  if (size.precision >= 0) format.append(".").append(std::to_string(size.precision));
  return format += after_size_;
}

void BraceConversion::choose_writer(FieldType element) {
  // With '0' and an alignment, versions of {fmt} differ.
  const bool unclear = spec_.zero && spec_.alignment != BraceAlignment::none;
  const bool is_number = shm::is_integer(element) && shm::fixed_size(element) <= 8;
  if (is_number && !unclear && spec_.type != 'c' && !spec_.localized) writer_ = Writer::integer;
  if (element == FieldType::string && spec_.type != '?') writer_ = Writer::string;
}

bool BraceConversion::size_of(std::span<const Value> args, Size& size) const {
  const auto take = [args](std::uint16_t index, FieldType type, std::int32_t& number) {
    if (index == BraceSpec::kNoArgument) return true;
    if (index >= args.size() || args[index].type != type) return false;
    number = bounded(args[index]);
    return true;
  };
  size = {spec_.width, spec_.precision};
  return take(spec_.width_argument, width_type_, size.width) &&
         take(spec_.precision_argument, precision_type_, size.precision);
}

void BraceConversion::write(TextSink& sink, const Value& value, std::span<const Value> args) const {
  Size size;
  if (!size_of(args, size)) return sink.write(kNoValue);
  if (shm::is_array(type_)) return write_array(sink, value, size);
  write_one(sink, value, size);
}

void BraceConversion::write_array(TextSink& sink, const Value& array, const Size& size) const {
  const std::size_t limit = sink.size() + kMaxArrayTextBytes;
  ArrayElements elements(array);
  std::string_view separator;
  if (!without_brackets_) sink.put('[');
  bool whole = true;
  for (Value element; whole && elements.next(element); separator = ", ") {
    whole = sink.size() < limit;
    if (!whole) break;
    sink.write(separator);
    write_one(sink, element, size);
  }
  if (!whole || elements.cut_short()) {
    sink.write(separator);
    sink.write(kNoValue);
  }
  if (!without_brackets_) sink.put(']');
}

void BraceConversion::write_one(TextSink& sink, const Value& value, const Size& size) const {
  if (writer_ == Writer::integer) return write_integer(sink, value, size.width);
  if (writer_ == Writer::string && write_string(sink, value, size)) return;
  try {
    write_by_library(sink, value, size);
  } catch (const fmt::format_error&) {
    sink.write(kNoValue);  // make() has tried the specification, but not with this value
  }
}

void BraceConversion::write_integer(TextSink& sink, const Value& value, std::int32_t width) const {
  std::uint64_t number = value.u64;
  char before[3];
  std::size_t before_bytes = 0;
  if (shm::is_signed(value.type) && value.i64 < 0) {
    number = 0 - number;
    before[before_bytes++] = '-';
  } else if (spec_.sign == '+' || spec_.sign == ' ') {
    before[before_bytes++] = spec_.sign;
  }
  char digits[64];
  const std::size_t count = digits_of(digits, number, spec_.type);
  // '#' adds a digit to an octal number that does not begin with 0.
  if (spec_.alternate && spec_.type != '\0' && spec_.type != 'd' &&
      (spec_.type != 'o' || number != 0)) {
    before[before_bytes++] = '0';
    if (spec_.type != 'o') before[before_bytes++] = spec_.type;
  }
  const std::size_t bytes = before_bytes + count;
  const auto wanted = static_cast<std::size_t>(std::max(width, 0));
  const std::size_t padding = wanted > bytes ? wanted - bytes : 0;
  if (spec_.zero) {
    sink.write({before, before_bytes});
    sink.fill('0', padding);
    sink.write({digits, count});
    return;
  }
  const Padding around(
      sink, spec_,
      spec_.alignment == BraceAlignment::none ? BraceAlignment::right : spec_.alignment, padding);
  sink.write({before, before_bytes});
  sink.write({digits, count});
}

// False if the text's width in columns is not its length: that is left to {fmt}.
bool BraceConversion::write_string(TextSink& sink, const Value& value, const Size& size) const {
  std::string_view text = value.text;
  if (size.width > 0 || size.precision >= 0) {
    if (!is_all_ascii(text)) return false;
    if (size.precision >= 0) text = text.substr(0, static_cast<std::size_t>(size.precision));
  }
  const auto wanted = static_cast<std::size_t>(std::max(size.width, 0));
  const Padding around(sink, spec_, spec_.alignment,
                       wanted > text.size() ? wanted - text.size() : 0);
  sink.write(text);
  return true;
}

void BraceConversion::write_by_library(TextSink& sink, const Value& value, const Size& size) const {
  std::string sized;
  if (library_format_.empty()) sized = format_for_library(size);
  const std::string_view format =
      library_format_.empty() ? std::string_view(sized) : library_format_;
  fmt::memory_buffer buffer;
  const auto write = [&](const auto& number) {
    fmt::vformat_to(fmt::appender(buffer), std::locale::classic(), fmt::string_view(format),
                    fmt::make_format_args(number));
  };
  switch (value.type) {
    case FieldType::boolean:
      write(value.u64 != 0);
      break;
    case FieldType::character:
      write(static_cast<char>(value.u64));
      break;
    case FieldType::i8:
    case FieldType::i16:
    case FieldType::i32:
    case FieldType::i64:
      write(value.i64);
      break;
    case FieldType::u8:
    case FieldType::u16:
    case FieldType::u32:
    case FieldType::u64:
      write(value.u64);
      break;
    case FieldType::i128:
      write(value.as_i128().value_or(0));
      break;
    case FieldType::u128:
      write(value.as_u128().value_or(0));
      break;
    case FieldType::f32:
      write(value.f32);
      break;
    case FieldType::f64:
      write(value.f64);
      break;
    case FieldType::f80:
      write(value.as_f80().value_or(0.0L));
      break;
    case FieldType::pointer:
      write(reinterpret_cast<const void*>(static_cast<std::uintptr_t>(value.u64)));
      break;
    case FieldType::string:
      write(value.text);
      break;
    case FieldType::bytes:
      write(hex_pairs(value.text));
      break;
    case FieldType::enumeration:
      if (kNumberTypes.find(spec_.type) != std::string_view::npos) {
        write(value.i64);
      } else if (value.text.empty()) {
        write(std::to_string(value.i64));
      } else {
        write(value.text);
      }
      break;
    default:
      sink.write(kNoValue);
      return;
  }
  sink.write({buffer.data(), buffer.size()});
}

}  // namespace ringside::trace
