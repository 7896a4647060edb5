#include "libagent/description/runtime_description.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "libagent/description/text_hash.hpp"
#include "libagent/include/ringside/brace_signature.hpp"
#include "libagent/include/ringside/printf_signature.hpp"
#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/expression_token.hpp"

namespace ringside {
namespace {

bool is_value_type(std::uint8_t type) {
  switch (static_cast<shm::FieldType>(type)) {
    case shm::FieldType::boolean:
    case shm::FieldType::character:
    case shm::FieldType::i8:
    case shm::FieldType::i16:
    case shm::FieldType::i32:
    case shm::FieldType::i64:
    case shm::FieldType::u8:
    case shm::FieldType::u16:
    case shm::FieldType::u32:
    case shm::FieldType::u64:
    case shm::FieldType::f32:
    case shm::FieldType::f64:
    case shm::FieldType::pointer:
    case shm::FieldType::string:
    case shm::FieldType::bytes:
      return true;
    default:
      return false;
  }
}

bool is_valid_name(std::string_view name) {
  if (name.empty() || name.size() > shm::kMaxFieldNameBytes) return false;
  return std::ranges::all_of(name, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= ' ' && byte != 0x7F && c != '"' && c != '\\';
  });
}

// The names as the source text of a macro call would give them.
bool read_names(std::string_view names, std::size_t count, std::string* arguments) {
  *arguments = "\"\"";
  if (names.empty()) {
    for (std::size_t i = 0; i < count; ++i) *arguments += ", 0";  // a constant: arg1, arg2
    return true;
  }
  std::size_t found = 0;
  for (bool is_last = false; !is_last; ++found) {
    const std::size_t comma = names.find(',');
    is_last = comma == std::string_view::npos;
    const std::string_view name = shm::without_outer_spaces(names.substr(0, comma));
    if (!is_valid_name(name)) return false;
    arguments->append(", RS_NAMED(\"").append(name).append("\", _)");
    if (!is_last) names.remove_prefix(comma + 1);
  }
  return found == count;
}

// An argument of a macro with this type.
detail::Argument argument_with(shm::FieldType type) {
  using detail::ArgumentKind;
  switch (type) {
    case shm::FieldType::boolean:
      return detail::argument_of<bool>();
    case shm::FieldType::character:
      return detail::argument_of<char>();
    case shm::FieldType::f32:
      return detail::argument_of<float>();
    case shm::FieldType::f64:
      return detail::argument_of<double>();
    case shm::FieldType::f80:
      return detail::argument_of<long double>();
    case shm::FieldType::pointer:
      return detail::argument_of<const void*>();
    case shm::FieldType::string:
      return {ArgumentKind::text};
    default:
      break;
  }
  const auto bytes = static_cast<std::uint8_t>(shm::fixed_size(type));
  const bool is_promoted = bytes < sizeof(int);
  return {ArgumentKind::integer, is_promoted ? static_cast<std::uint8_t>(sizeof(int)) : bytes,
          is_promoted || shm::is_signed(type), bytes, shm::is_signed(type)};
}

// The fields' types are those that the conversions make of the arguments.
std::int32_t read_conversions(const RuntimeDescription& description, CheckedDescription* checked) {
  std::array<detail::Argument, RS_MAX_FIELDS> arguments{};
  const std::size_t count = description.types.size();
  for (std::size_t i = 0; i < count; ++i) {
    arguments[i] = argument_with(static_cast<shm::FieldType>(description.types[i]));
  }
  const detail::Signature signature =
      detail::printf_signature(description.format, arguments.data(), count, false);
  if (signature.mismatch != detail::Mismatch::none) {
    return signature.mismatch == detail::Mismatch::invalid_format ? RS_REFUSED_FORMAT
                                                                  : RS_REFUSED_TYPES;
  }
  for (std::size_t i = 0; i < count; ++i) {
    checked->types[i] = static_cast<char>(shm::code(detail::field_type(signature.code(i))));
  }
  return 0;
}

std::int32_t check_printf(const RuntimeDescription& description, CheckedDescription* checked) {
  const shm::FieldList conversions = shm::printf_fields(description.format);
  if (!conversions.ok()) return RS_REFUSED_FORMAT;
  if (conversions.count != description.types.size()) return RS_REFUSED_TYPES;
  if (description.is_of_macro) {
    if (const std::int32_t refusal = read_conversions(description, checked)) return refusal;
  }
  for (std::size_t i = 0; i < description.types.size(); ++i) {
    const shm::PrintfField& wanted = conversions[i];
    if (wanted.wide) return RS_REFUSED_FORMAT;
    const auto type = static_cast<shm::FieldType>(checked->types[i]);
    if (!shm::records_as(wanted, type)) return RS_REFUSED_TYPES;
  }
  checked->conversions.assign(conversions.begin(), conversions.end());
  return 0;
}

std::int32_t check_brace(const RuntimeDescription& description, std::string_view arguments) {
  std::array<detail::ArgumentField, RS_MAX_FIELDS> fields{};
  detail::FieldSequence sequence{};
  for (std::size_t i = 0; i < description.types.size(); ++i) {
    fields[i].type = static_cast<shm::FieldType>(description.types[i]);
    fields[i].field_count = 1;
    sequence.add(fields[i].type);
  }
  const detail::BraceSignature signature(description.format, fields.data(),
                                         description.types.size(), sequence, arguments);
  switch (signature.result().mismatch) {
    case detail::Mismatch::none:
      return 0;
    case detail::Mismatch::invalid_format:
    case detail::Mismatch::unknown_name:
      return RS_REFUSED_FORMAT;
    default:
      return RS_REFUSED_TYPES;
  }
}

}  // namespace

std::uint64_t RuntimeDescription::hash() const {
  std::uint64_t hash =
      mixed(keywords, std::uint64_t{line} << 16 | std::uint64_t{level} << 8 | style);
  for (const std::string_view text : {format, names, types, category, file, function}) {
    hash = mixed_in(text, hash);
  }
  return hash;
}

std::int32_t read_description(const rs_runtime_statement& given, RuntimeDescription* description) {
  if (given.struct_bytes < sizeof given) return RS_REFUSED_STRUCT;
  if (given.level < RS_LEVEL_TRACE || given.level > RS_LEVEL_CRITICAL) return RS_REFUSED_LEVEL;
  if (given.style > RS_FORMAT_COUNTER) return RS_REFUSED_STYLE;
  if (given.type_count > RS_MAX_FIELDS) return RS_REFUSED_TYPES;
  if (given.types == nullptr && given.type_count != 0) return RS_REFUSED_POINTER;
  std::uint64_t room = kMostDescriptionBytes;
  std::int32_t refusal = 0;
  const auto text = [&](const char* data, std::uint64_t bytes) -> std::string_view {
    if (data == nullptr && bytes != 0) refusal = RS_REFUSED_POINTER;
    if (refusal != 0 || bytes == 0) return {};
    if (bytes > room) {
      refusal = RS_REFUSED_TEXT;
      return {};
    }
    room -= bytes;
    const std::string_view view(data, bytes);
    if (view.find('\0') != std::string_view::npos) refusal = RS_REFUSED_TEXT;
    return view;
  };
  description->format = text(given.format, given.format_bytes);
  description->names = text(given.names, given.names_bytes);
  description->category = text(given.category, given.category_bytes);
  description->file = text(given.file, given.file_bytes);
  description->function = text(given.function, given.function_bytes);
  if (given.type_count != 0) {
    description->types = {reinterpret_cast<const char*>(given.types), given.type_count};
  }
  description->keywords = given.keywords;
  description->line = given.line;
  description->level = static_cast<std::uint8_t>(given.level);
  description->style = static_cast<std::uint8_t>(given.style);
  return refusal;
}

std::int32_t check(const RuntimeDescription& description, CheckedDescription* checked) {
  checked->types = description.types;
  if (description.is_of_macro) {
    checked->arguments = description.names;
  } else {
    for (const char type : description.types) {
      if (!is_value_type(static_cast<std::uint8_t>(type))) return RS_REFUSED_TYPES;
    }
    if (!read_names(description.names, description.types.size(), &checked->arguments)) {
      return RS_REFUSED_NAMES;
    }
  }
  switch (description.style) {
    case RS_FORMAT_PRINTF:
      return check_printf(description, checked);
    case RS_FORMAT_BRACE:
      return check_brace(description, checked->arguments);
    default:
      return description.format.empty() ? std::int32_t{RS_REFUSED_FORMAT} : 0;
  }
}

}  // namespace ringside
