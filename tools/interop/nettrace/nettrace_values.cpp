#include "tools/interop/nettrace/nettrace_values.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "tools/interop/nettrace/nettrace_decimal.hpp"
#include "tools/interop/nettrace/nettrace_facts.hpp"
#include "tools/interop/nettrace/nettrace_nested_text.hpp"
#include "tools/interop/nettrace/payload_bytes.hpp"
#include "tools/interop/nettrace/utf16_text.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/lines/hex_digits.hpp"

namespace ringside::tool::nettrace {
namespace {

using shm::FieldType;

constexpr std::string_view kRounded = "decimals of more than 15 digits were rounded to 64 bits";
constexpr std::string_view kOddDecimals = "invalid decimals became NaN";
constexpr std::string_view kLongText =
    "the text of an array of arrays or objects is cut: it has more than 64 times the array's bytes";

// The limit of a rendered array. Without it elements of few bytes and long names would make a small
// file a large trace.
constexpr std::size_t most_text_bytes(std::size_t value_bytes) {
  return 256 + 64 * value_bytes;
}

// The type of a scalar that is copied unchanged; none for others.
FieldType scalar_type(TypeCode type) {
  switch (type) {
    case TypeCode::kSByte:
      return FieldType::i8;
    case TypeCode::kByte:
      return FieldType::u8;
    case TypeCode::kInt16:
      return FieldType::i16;
    case TypeCode::kChar:
    case TypeCode::kUInt16:
      return FieldType::u16;
    case TypeCode::kInt32:
      return FieldType::i32;
    case TypeCode::kUInt32:
      return FieldType::u32;
    case TypeCode::kInt64:
      return FieldType::i64;
    case TypeCode::kUInt64:
    case TypeCode::kDateTime:
      return FieldType::u64;
    case TypeCode::kSingle:
      return FieldType::f32;
    case TypeCode::kDouble:
      return FieldType::f64;
    default:
      return FieldType::none;
  }
}

struct Mapping {
  FieldType type;
  ValueStep step;
};

Mapping mapping_of(const MetadataField& field) {
  switch (field.type) {
    case TypeCode::kBoolean:
      return {FieldType::boolean, ValueStep::kBoolean};
    case TypeCode::kString:
      return {FieldType::string, ValueStep::kText};
    case TypeCode::kGuid:
      return {FieldType::string, ValueStep::kGuid};
    case TypeCode::kDecimal:
      return {FieldType::f64, ValueStep::kDecimal};
    case TypeCode::kArray: {
      const TypeCode element = field.parts.front().type;
      if (element == TypeCode::kBoolean) {
        return {shm::array_of(FieldType::boolean), ValueStep::kBooleans};
      }
      if (element == TypeCode::kString) {
        return {shm::array_of(FieldType::string), ValueStep::kTexts};
      }
      if (element == TypeCode::kGuid) {
        return {shm::array_of(FieldType::string), ValueStep::kGuids};
      }
      if (element == TypeCode::kDecimal) {
        return {shm::array_of(FieldType::f64), ValueStep::kDecimals};
      }
      const FieldType type = scalar_type(element);
      if (type != FieldType::none) return {shm::array_of(type), ValueStep::kArray};
      return {FieldType::string, ValueStep::kNested};
    }
    default:
      return {scalar_type(field.type), ValueStep::kCopy};
  }
}

// Use(field, name) for each field that is not an object. False as soon as `use` returns false.
template <class Use>
bool flatten(const std::vector<MetadataField>& fields, const std::string& prefix, Use&& use) {
  for (const MetadataField& field : fields) {
    const std::string name = prefix + field.name;
    if (field.type == TypeCode::kObject) {
      if (!flatten(field.parts, name + ".", use)) return false;
    } else if (!use(field, name)) {
      return false;
    }
  }
  return true;
}

ValueStep own_step(FieldType type) {
  const bool is_array = shm::is_array(type);
  switch (shm::element_type(type)) {
    case FieldType::boolean:
      return is_array ? ValueStep::kBooleans : ValueStep::kBoolean;
    case FieldType::character:
      return is_array ? ValueStep::kCharacters : ValueStep::kCharacter;
    case FieldType::string:
      return is_array ? ValueStep::kTexts : ValueStep::kText;
    case FieldType::bytes:
      return is_array ? ValueStep::kByteArrays : ValueStep::kBytes;
    default:
      return is_array ? ValueStep::kArray : ValueStep::kCopy;
  }
}

// Reads one payload. Its lengths have been checked.
class Putter {
 public:
  Putter(std::span<const std::byte> payload, TraceBuilder& builder, ConversionReport& report)
      : payload_(payload), builder_(builder), report_(report) {}

  std::size_t taken() const { return taken_; }

  void put(const ValuePlan::Step& step) {
    switch (step.step) {
      case ValueStep::kCopy:
        return builder_.put_values(as_text(bytes(step.bytes)));
      case ValueStep::kBoolean:
        return builder_.put(boolean());
      case ValueStep::kCharacter:
        return builder_.put(take<std::uint8_t>(2));
      case ValueStep::kText:
        scratch_.clear();
        append_text();
        return builder_.put_text(scratch_);
      case ValueStep::kGuid:
        return builder_.put_text(guid_text(bytes(16)));
      case ValueStep::kDecimal:
        return builder_.put(decimal());
      case ValueStep::kBytes:
        return builder_.put_text(as_text(bytes(count())));
      case ValueStep::kArray: {
        const std::size_t elements = count();
        return builder_.put_array(as_text(bytes(elements * step.bytes)),
                                  static_cast<std::uint32_t>(elements), step.bytes);
      }
      case ValueStep::kBooleans:
        return put_elements(1, [this] { scratch_ += static_cast<char>(boolean()); });
      case ValueStep::kCharacters:
        return put_elements(1, [this] { scratch_ += static_cast<char>(take<std::uint8_t>(2)); });
      case ValueStep::kTexts:
        return put_elements(0, [this] { append_counted([this] { append_text(); }); });
      case ValueStep::kGuids:
        return put_elements(
            0, [this] { append_counted([this] { scratch_ += guid_text(bytes(16)); }); });
      case ValueStep::kDecimals:
        return put_elements(sizeof(double), [this] {
          const double number = decimal();
          scratch_.append(reinterpret_cast<const char*>(&number), sizeof number);
        });
      case ValueStep::kByteArrays:
        return put_elements(
            0, [this] { append_counted([this] { scratch_ += as_text(bytes(count())); }); });
      case ValueStep::kNested:
        return put_nested(*step.field);
      case ValueStep::kSkip:
        bytes(value_bytes(*step.field, rest()));
        return;
    }
  }

 private:
  std::span<const std::byte> rest() const { return payload_.subspan(taken_); }
  std::span<const std::byte> bytes(std::size_t count) {
    const std::span<const std::byte> there = payload_.subspan(taken_, count);
    taken_ += count;
    return there;
  }
  template <class Number>
  Number take(std::size_t count) {
    return trace::load<Number>(bytes(count).data());
  }
  std::size_t count() { return take<std::uint16_t>(2); }
  std::uint8_t boolean() { return take<std::uint32_t>(4) != 0 ? 1 : 0; }

  double decimal() {
    const std::optional<Decimal> decimal = Decimal::read(bytes(kDecimalBytes));
    if (!decimal) {
      report_.lost(kOddDecimals);
      return std::numeric_limits<double>::quiet_NaN();
    }
    if (!decimal->fits_number()) report_.lost(kRounded);
    return decimal->number();
  }

  void append_text() {
    const std::size_t length = utf16_text_bytes(rest());
    if (!append_utf8_of_utf16(scratch_, bytes(length))) report_.lost(kLoneSurrogates);
    taken_ += 2;
  }
  template <class Append>
  void append_counted(Append&& append) {
    const std::size_t at = scratch_.size();
    append_length(scratch_, 0);
    append();
    trace::store(reinterpret_cast<std::byte*>(scratch_.data() + at),
                 static_cast<std::uint32_t>(scratch_.size() - at - 4));
  }
  template <class Append>
  void put_elements(std::size_t element_bytes, Append&& append) {
    const std::size_t elements = count();
    scratch_.clear();
    for (std::size_t i = 0; i < elements; ++i) append();
    builder_.put_array(scratch_, static_cast<std::uint32_t>(elements), element_bytes);
  }

  void put_nested(const MetadataField& field) {
    const std::span<const std::byte> value = bytes(value_bytes(field, rest()));
    const std::size_t most = most_text_bytes(value.size());
    scratch_.clear();
    append_nested_text(field, value, most, scratch_, report_);
    if (scratch_.size() > most) report_.lost(kLongText);
    builder_.put_text(scratch_);
  }

  std::span<const std::byte> payload_;
  TraceBuilder& builder_;
  ConversionReport& report_;
  std::size_t taken_ = 0;
  std::string scratch_;
};

}  // namespace

bool ValuePlan::make(const Metadata& metadata, std::size_t most) {
  return flatten(metadata.fields, {}, [&](const MetadataField& field, const std::string& name) {
    if (fields.size() == most) return false;
    const Mapping mapping = mapping_of(field);
    FieldDefinition& definition = fields.emplace_back();
    definition.name = name;
    definition.type = mapping.type;
    add_step(
        mapping.step,
        mapping.step == ValueStep::kArray ? field.parts.front().fixed_bytes : field.fixed_bytes,
        field);
    return true;
  });
}

// Values that are copied unchanged and are adjacent are copied together.
void ValuePlan::add_step(ValueStep step, std::uint32_t bytes, const MetadataField& field) {
  if (step == ValueStep::kCopy && !steps.empty() && steps.back().step == ValueStep::kCopy) {
    steps.back().bytes += bytes;
  } else {
    steps.push_back({.step = step, .bytes = bytes, .field = &field});
  }
}

std::size_t ValuePlan::bytes_of(std::span<const std::byte> payload) const {
  std::size_t bytes = 0;
  for (const Step& step : steps) {
    bytes += step.step == ValueStep::kCopy ? step.bytes
                                           : value_bytes(*step.field, payload.subspan(bytes));
  }
  return bytes;
}

void ValuePlan::make_own(const Metadata& metadata, const SiteDefinition& site) {
  fields = site.fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const MetadataField& field = metadata.fields[i];
    const auto size =
        static_cast<std::uint32_t>(shm::fixed_size(shm::element_type(fields[i].type)));
    const ValueStep step = fields[i].constant ? ValueStep::kSkip : own_step(fields[i].type);
    add_step(step, size, field);
  }
}

std::size_t put_values(const ValuePlan& plan, std::span<const std::byte> payload,
                       TraceBuilder& builder, ConversionReport& report) {
  Putter putter(payload, builder, report);
  for (const ValuePlan::Step& step : plan.steps) putter.put(step);
  return putter.taken();
}

std::string guid_text(std::span<const std::byte> guid) {
  Guid bytes{};
  std::transform(guid.begin(), guid.begin() + 16, bytes.begin(),
                 [](std::byte byte) { return static_cast<std::uint8_t>(byte); });
  bytes = in_order_of_text(bytes);
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += trace::kHexDigits[bytes[i] >> 4U];
    text += trace::kHexDigits[bytes[i] & 15U];
  }
  return text;
}

Guid in_order_of_text(const Guid& guid) {
  Guid text = guid;
  std::reverse(text.begin(), text.begin() + 4);
  std::reverse(text.begin() + 4, text.begin() + 6);
  std::reverse(text.begin() + 6, text.begin() + 8);
  return text;
}

}  // namespace ringside::tool::nettrace
