#include "tools/interop/tptp/tptp_record_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <type_traits>

#include "shm-layout/field_type_name.hpp"
#include "shm-layout/level.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside::tool::tptp {
namespace {

constexpr auto kMostKind = static_cast<std::uint32_t>(shm::SiteKind::kHistogram);
constexpr auto kMostLevel = static_cast<std::uint32_t>(shm::Level::kCritical);
constexpr auto kMostStyle = static_cast<std::uint32_t>(shm::FormatStyle::brace);
// With this limit a statement's entry with all its fields is within the dictionary's limits.
constexpr std::size_t kMostConstantBytes = 8192;

shm::FieldType type_of_name(std::string_view name) {
  const bool is_array = name.ends_with("[]");
  if (is_array) name.remove_suffix(2);
  for (std::uint8_t code = 1; code <= shm::kLastFieldType; ++code) {
    const auto type = static_cast<shm::FieldType>(code);
    if (shm::name(type) == name) return is_array ? shm::array_of(type) : type;
  }
  return shm::FieldType::none;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

template <class Number>
void append_raw(std::string& ring, Number number) {
  ring.append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace

std::string_view RecordText::word() {
  if (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  const std::string_view word = rest_.substr(0, rest_.find(' '));
  if (word.empty()) fail();
  rest_.remove_prefix(std::min(word.size(), rest_.size()));
  return word;
}

template <class Number>
Number RecordText::number() {
  const std::string_view digits = word();
  Number number{};
  const char* const end = digits.data() + digits.size();
  std::from_chars_result result{};
  if constexpr (std::is_floating_point_v<Number>) {
    using Bits = std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>;
    if (!digits.empty() && digits.front() == '#') {
      Bits bits = 0;
      result = std::from_chars(digits.data() + 1, end, bits);
      number = std::bit_cast<Number>(bits);
    } else {
      result = std::from_chars(digits.data(), end, number);
    }
  } else {
    result = std::from_chars(digits.data(), end, number);
  }
  if (ok_ && (result.ec != std::errc() || result.ptr != end)) fail();
  return ok_ ? number : Number{};
}

template std::uint32_t RecordText::number();
template std::uint64_t RecordText::number();

std::string_view RecordText::text() {
  scratch_.clear();
  if (!rest_.starts_with(" \"")) {
    fail();
    return {};
  }
  rest_.remove_prefix(2);
  for (;;) {
    const std::size_t plain = rest_.find_first_of("\"\\");
    if (plain == std::string_view::npos) break;
    scratch_ += rest_.substr(0, plain);
    const bool ends = rest_[plain] == '"';
    rest_.remove_prefix(plain + 1);
    if (ends) return scratch_;
    if (rest_.empty()) break;
    if (rest_.front() != 'x') {
      scratch_ += rest_.front();
      rest_.remove_prefix(1);
      continue;
    }
    const int high = rest_.size() < 3 ? -1 : hex_digit(rest_[1]);
    const int low = rest_.size() < 3 ? -1 : hex_digit(rest_[2]);
    if (high < 0 || low < 0) break;
    scratch_ += static_cast<char>(high << 4 | low);
    rest_.remove_prefix(3);
  }
  fail();
  return {};
}

SiteDefinition RecordText::definition() {
  SiteDefinition site;
  const auto kind = number<std::uint32_t>();
  const auto level = number<std::uint32_t>();
  const auto style = number<std::uint32_t>();
  if (kind < 1 || kind > kMostKind || level > kMostLevel || style > kMostStyle) fail();
  site.kind = static_cast<shm::SiteKind>(kind);
  site.level = static_cast<shm::Level>(level);
  site.style = static_cast<shm::FormatStyle>(style);
  site.keywords = number<std::uint64_t>();
  site.line = number<std::uint32_t>();
  for (std::string* const part :
       {&site.name, &site.category, &site.format, &site.file, &site.function}) {
    *part = text();
  }
  const auto fields = number<std::uint32_t>();
  if (fields > shm::kMaxFields) fail();
  for (std::uint32_t i = 0; i < fields && ok_; ++i) {
    FieldDefinition& field = site.fields.emplace_back();
    field.type = type_of_name(word());
    if (field.type == shm::FieldType::none) fail();
    field.name = text();
    const auto names = number<std::uint32_t>();
    for (std::uint32_t n = 0; n < names && ok_; ++n) {
      const auto value = number<std::int64_t>();
      field.enum_names.emplace_back(value, text());
    }
    field.is_format_argument = word() == kArgumentWord;
    if (word() != kConstantWord) continue;
    std::string value;
    this->value(field.type, value);
    const std::size_t length = shm::is_variable_length(field.type) ? sizeof(std::uint32_t) : 0;
    if (!ok_ || value.size() > length + kMostConstantBytes) {
      fail();
      break;
    }
    field.constant = value.substr(length);
  }
  return site;
}

trace::RecordExtension RecordText::extension() {
  trace::RecordExtension extension;
  const auto take_id = [this](std::array<std::uint8_t, 16>& id) {
    const std::string_view digits = word();
    if (digits.size() != 2 * id.size()) return fail();
    for (std::size_t i = 0; i < id.size(); ++i) {
      const int high = hex_digit(digits[2 * i]);
      const int low = hex_digit(digits[2 * i + 1]);
      if (high < 0 || low < 0) return fail();
      id[i] = static_cast<std::uint8_t>(high << 4 | low);
    }
  };
  const auto flags = number<std::uint32_t>();
  if (!shm::are_valid_flags(flags)) fail();
  if ((flags & shm::kExtSubstream) != 0) extension.substream = number<std::uint64_t>();
  if ((flags & shm::kExtActivity) != 0) take_id(extension.activity);
  if ((flags & shm::kExtRelatedActivity) != 0) take_id(extension.related);
  if ((flags & shm::kExtStack) != 0) extension.stack_id = number<std::uint32_t>();
  if ((flags & shm::kExtDuration) != 0) extension.duration = number<std::uint64_t>();
  extension.ext_flags = ok_ ? flags : 0;
  return extension;
}

void RecordText::value(shm::FieldType type, std::string& ring) {
  if (!shm::is_array(type)) return scalar(type, ring);
  const auto count = number<std::uint32_t>();
  // Each element has at least a blank and a character.
  if (count > rest_.size() / 2) return fail();
  append_raw(ring, count);
  for (std::uint32_t i = 0; i < count && ok_; ++i) scalar(shm::element_type(type), ring);
}

void RecordText::scalar(shm::FieldType type, std::string& ring) {
  using shm::FieldType;
  switch (type) {
    case FieldType::boolean:
    case FieldType::character:
    case FieldType::u8:
      return append_raw(ring, number<std::uint8_t>());
    case FieldType::i8:
      return append_raw(ring, number<std::int8_t>());
    case FieldType::i16:
      return append_raw(ring, number<std::int16_t>());
    case FieldType::u16:
      return append_raw(ring, number<std::uint16_t>());
    case FieldType::i32:
      return append_raw(ring, number<std::int32_t>());
    case FieldType::u32:
      return append_raw(ring, number<std::uint32_t>());
    case FieldType::i64:
    case FieldType::enumeration:
      return append_raw(ring, number<std::int64_t>());
    case FieldType::u64:
    case FieldType::pointer:
      return append_raw(ring, number<std::uint64_t>());
    case FieldType::i128:
    case FieldType::u128:
      append_raw(ring, number<std::uint64_t>());
      return append_raw(ring, number<std::uint64_t>());
    case FieldType::f32:
      return append_raw(ring, number<float>());
    case FieldType::f64:
      return append_raw(ring, number<double>());
    case FieldType::f80:
      append_raw(ring, number<std::uint64_t>());
      return append_raw(ring, number<std::uint16_t>());
    case FieldType::string:
    case FieldType::bytes: {
      const std::string_view characters = text();
      append_raw(ring, static_cast<std::uint32_t>(characters.size()));
      ring += characters;
      return;
    }
    case FieldType::none:
      return fail();
  }
}

}  // namespace ringside::tool::tptp
