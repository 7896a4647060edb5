#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "shm-layout/field_type_name.hpp"
#include "shm-layout/record_head.hpp"
#include "tools/interop/tptp/tptp_record_text.hpp"
#include "trace-format/lines/hex_digits.hpp"
#include "trace-format/lines/utf8.hpp"

namespace ringside::tool::tptp {
namespace {

template <class Number>
void append_digits(std::string& out, Number number) {
  std::array<char, 48> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  out.append(digits.begin(), end);
}

template <class Number>
void append_token(std::string& out, Number number) {
  out += ' ';
  append_digits(out, number);
}

void append_hex(std::string& out, std::string_view bytes) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += trace::kHexDigits[byte >> 4U];
    out += trace::kHexDigits[byte & 15U];
  }
}

// A value that is not a finite number is written as its bits.
template <class Float, class Bits>
void append_float(std::string& out, Float number) {
  const auto bits = std::bit_cast<Bits>(number);
  constexpr Bits kExponent = std::bit_cast<Bits>(std::numeric_limits<Float>::infinity());
  if ((bits & kExponent) != kExponent) return append_token(out, number);
  out += " #";
  append_digits(out, bits);
}

template <class Number>
Number taken(std::string_view& elements) {
  Number number{};
  if (elements.size() < sizeof number) {
    elements = {};
    return number;
  }
  std::memcpy(&number, elements.data(), sizeof number);
  elements.remove_prefix(sizeof number);
  return number;
}

void append_element(std::string& out, shm::FieldType type, std::string_view& elements) {
  using shm::FieldType;
  switch (type) {
    case FieldType::boolean:
    case FieldType::character:
    case FieldType::u8:
      return append_token(out, taken<std::uint8_t>(elements));
    case FieldType::i8:
      return append_token(out, taken<std::int8_t>(elements));
    case FieldType::i16:
      return append_token(out, taken<std::int16_t>(elements));
    case FieldType::u16:
      return append_token(out, taken<std::uint16_t>(elements));
    case FieldType::i32:
      return append_token(out, taken<std::int32_t>(elements));
    case FieldType::u32:
      return append_token(out, taken<std::uint32_t>(elements));
    case FieldType::i64:
    case FieldType::enumeration:
      return append_token(out, taken<std::int64_t>(elements));
    case FieldType::u64:
    case FieldType::pointer:
      return append_token(out, taken<std::uint64_t>(elements));
    case FieldType::i128:
    case FieldType::u128:
      append_token(out, taken<std::uint64_t>(elements));
      return append_token(out, taken<std::uint64_t>(elements));
    case FieldType::f32:
      return append_float<float, std::uint32_t>(out, taken<float>(elements));
    case FieldType::f64:
      return append_float<double, std::uint64_t>(out, taken<double>(elements));
    case FieldType::f80:
      append_token(out, taken<std::uint64_t>(elements));
      return append_token(out, taken<std::uint16_t>(elements));
    case FieldType::string:
    case FieldType::bytes: {
      const std::size_t bytes =
          std::min<std::size_t>(taken<std::uint32_t>(elements), elements.size());
      append_text(out, elements.substr(0, bytes));
      return elements.remove_prefix(bytes);
    }
    case FieldType::none:
      return;
  }
}

// XML does not permit U+FFFE and U+FFFF.
bool is_noncharacter(std::string_view sequence) {
  return sequence == "\xEF\xBF\xBE" || sequence == "\xEF\xBF\xBF";
}

}  // namespace

void append_word(std::string& out, std::string_view word) {
  out += ' ';
  out += word;
}

void append_number(std::string& out, std::uint64_t number) {
  append_token(out, number);
}

void append_text(std::string& out, std::string_view text) {
  out += " \"";
  while (!text.empty()) {
    const auto plain = static_cast<std::size_t>(
        std::find_if(text.begin(), text.end(),
                     [](char c) { return c < 0x20 || c == 0x7F || c == '"' || c == '\\'; }) -
        text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t bytes = trace::utf8_sequence_bytes(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(bytes, 1));
    if (bytes > 1 && !trace::is_control_character(sequence) && !is_noncharacter(sequence)) {
      out += sequence;
    } else if (sequence == "\"" || sequence == "\\") {
      out += '\\';
      out += sequence;
    } else {
      for (const char c : sequence) {
        out += "\\x";
        append_hex(out, {&c, 1});
      }
    }
    text.remove_prefix(sequence.size());
  }
  out += '"';
}

void append_definition(std::string& out, const trace::Site& site) {
  append_token(out, static_cast<unsigned>(site.kind));
  append_token(out, static_cast<unsigned>(site.level));
  append_token(out, static_cast<unsigned>(site.style));
  append_token(out, site.keywords);
  append_token(out, site.line);
  for (const std::string* text :
       {&site.name, &site.category, &site.format, &site.file, &site.function}) {
    append_text(out, *text);
  }
  append_token(out, site.fields.size());
  for (std::size_t i = 0; i < site.fields.size(); ++i) {
    const trace::Field& field = site.fields[i];
    append_word(out, shm::name(field.is_array ? shm::array_of(field.type) : field.type));
    append_text(out, field.name);
    const bool has_names = field.enum_table != nullptr;
    append_token(out, has_names ? field.enum_table->names.size() : 0);
    for (std::size_t n = 0; has_names && n < field.enum_table->names.size(); ++n) {
      append_token(out, field.enum_table->names[n].first);
      append_text(out, field.enum_table->names[n].second);
    }
    append_word(out, (field.flags & shm::kFieldFormatArg) != 0 ? kArgumentWord : "-");
    append_word(out, field.is_constant() ? kConstantWord : "-");
    if (field.is_constant()) append_value(out, site.initial_values[i]);
  }
}

void append_extension(std::string& out, const trace::RecordExtension& extension,
                      std::uint64_t duration_ns) {
  const std::uint32_t flags = extension.ext_flags;
  append_token(out, flags);
  if ((flags & shm::kExtSubstream) != 0) append_token(out, extension.substream);
  const auto append_id = [&out](const std::array<std::uint8_t, 16>& id) {
    out += ' ';
    append_hex(out, {reinterpret_cast<const char*>(id.data()), id.size()});
  };
  if ((flags & shm::kExtActivity) != 0) append_id(extension.activity);
  if ((flags & shm::kExtRelatedActivity) != 0) append_id(extension.related);
  if ((flags & shm::kExtStack) != 0) append_token(out, extension.stack_id);
  if ((flags & shm::kExtDuration) != 0) append_token(out, duration_ns);
}

void append_value(std::string& out, const trace::Value& value) {
  const shm::FieldType element = shm::element_type(value.type);
  std::string_view elements = value.text;
  if (shm::is_array(value.type)) {
    append_token(out, value.count);
    for (std::uint32_t i = 0; i < value.count; ++i) append_element(out, element, elements);
    return;
  }
  if (shm::is_variable_length(value.type)) return append_text(out, value.text);
  std::array<std::uint64_t, 2> halves{value.u64, value.high};
  if (element == shm::FieldType::f32) std::memcpy(halves.data(), &value.f32, sizeof value.f32);
  elements = {reinterpret_cast<const char*>(halves.data()), sizeof halves};
  append_element(out, element, elements);
}

}  // namespace ringside::tool::tptp
