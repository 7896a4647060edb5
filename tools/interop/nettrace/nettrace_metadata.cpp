#include "tools/interop/nettrace/nettrace_metadata.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "tools/interop/nettrace/netperf_providers.hpp"
#include "tools/interop/nettrace/utf16_text.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::tool::nettrace {
namespace {

// Nesting of objects; deeper ones are treated as an unknown type.
constexpr unsigned kMostDepth = 100;
constexpr std::uint32_t kMostFixedBytes = 1U << 24;
// Limit of a record's fields, including those in objects; a record with more is treated as an
// unknown type. Fields without bytes take time for each event, however short it is.
constexpr std::size_t kMostFields = 65'535;
constexpr std::size_t kMostEmptyFields = 256;
// .NET's "informational", for types whose level the file does not state.
constexpr std::uint32_t kLevelOfUndescribed = 4;

// The numbers of a record until now.
struct FieldCounts {
  std::size_t all = 0;
  std::size_t empty = 0;
};

// A field whose fixed size is too large is invalid.
std::uint32_t size_of(TypeCode type) {
  switch (type) {
    case TypeCode::kSByte:
    case TypeCode::kByte:
      return 1;
    case TypeCode::kChar:
    case TypeCode::kInt16:
    case TypeCode::kUInt16:
      return 2;
    case TypeCode::kBoolean:
    case TypeCode::kInt32:
    case TypeCode::kUInt32:
    case TypeCode::kSingle:
      return 4;
    case TypeCode::kInt64:
    case TypeCode::kUInt64:
    case TypeCode::kDouble:
    case TypeCode::kDateTime:
      return 8;
    case TypeCode::kDecimal:
    case TypeCode::kGuid:
      return 16;
    default:
      return 0;
  }
}

class Parser {
 public:
  Parser(std::span<const std::byte> bytes, FieldCounts& counts) : bytes_(bytes), counts_(counts) {}

  bool is_cut() const { return is_cut_; }
  bool is_unknown() const { return is_unknown_; }
  std::size_t left() const { return bytes_.size(); }

  template <class Number>
  Number number() {
    if (bytes_.size() < sizeof(Number)) {
      is_cut_ = true;
      bytes_ = {};
      return 0;
    }
    const auto value = trace::load<Number>(bytes_.data());
    bytes_ = bytes_.subspan(sizeof value);
    return value;
  }

  std::string text() {
    std::string text;
    const std::size_t bytes = utf16_text_bytes(bytes_);
    if (bytes == kNoUtf16End) {
      is_cut_ = true;
      bytes_ = {};
      return text;
    }
    append_utf8_of_utf16(text, bytes_.first(bytes));
    bytes_ = bytes_.subspan(bytes + 2);
    return text;
  }

  std::span<const std::byte> take(std::size_t bytes) {
    if (bytes > bytes_.size()) {
      is_cut_ = true;
      bytes = bytes_.size();
    }
    const std::span<const std::byte> taken = bytes_.first(bytes);
    bytes_ = bytes_.subspan(bytes);
    return taken;
  }

  std::vector<MetadataField> fields(bool v2, unsigned depth) {
    std::vector<MetadataField> fields;
    const auto count = number<std::uint32_t>();
    for (std::uint32_t i = 0; i < count && !stopped(); ++i) fields.push_back(field(v2, depth));
    return fields;
  }

 private:
  bool stopped() const { return is_cut_ || is_unknown_; }

  MetadataField field(bool v2, unsigned depth) {
    if (v2) {
      const auto size = number<std::uint32_t>();
      if (size < 4) is_cut_ = true;
      if (stopped()) return {};
      Parser inner(take(size - 4), counts_);
      if (is_cut_) return {};
      std::string name = inner.text();
      MetadataField field = inner.type(true, depth);
      field.name = std::move(name);
      is_cut_ = is_cut_ || inner.is_cut_;
      is_unknown_ = is_unknown_ || inner.is_unknown_;
      return field;
    }
    MetadataField field = type(false, depth);
    if (!stopped()) field.name = text();
    return field;
  }

  MetadataField type(bool v2, unsigned depth) {
    MetadataField field;
    field.type = static_cast<TypeCode>(number<std::uint32_t>());
    if (stopped()) return field;
    if (depth > kMostDepth || ++counts_.all > kMostFields) {
      is_unknown_ = true;
    } else if (field.type == TypeCode::kObject) {
      field.parts = fields(v2, depth + 1);
      std::uint64_t bytes = 0;
      field.is_fixed = true;
      for (const MetadataField& part : field.parts) {
        field.is_fixed = field.is_fixed && part.is_fixed;
        bytes += part.fixed_bytes;
      }
      field.is_fixed = field.is_fixed && bytes <= kMostFixedBytes;
      if (field.is_fixed) field.fixed_bytes = static_cast<std::uint32_t>(bytes);
    } else if (field.type == TypeCode::kArray && v2) {
      field.parts.push_back(type(v2, depth + 1));
    } else if (field.type != TypeCode::kString) {
      field.fixed_bytes = size_of(field.type);
      field.is_fixed = field.fixed_bytes != 0;
      if (!field.is_fixed) is_unknown_ = true;
    }
    if (field.is_fixed && field.fixed_bytes == 0 && ++counts_.empty > kMostEmptyFields) {
      is_unknown_ = true;
    }
    return field;
  }

  std::span<const std::byte> bytes_;
  FieldCounts& counts_;
  bool is_cut_ = false;
  bool is_unknown_ = false;
};

bool refuse(std::string* why, const char* text) {
  *why = text;
  return false;
}

// Which type the record describes. In versions 1 and 2 what follows, `*rest`, is optional.
bool parse_origin(std::int32_t version, const Blob& blob, Parser& parser, Metadata& metadata,
                  std::span<const std::byte>* rest) {
  if (version >= kNetperfVersion) {
    metadata.id = parser.number<std::uint32_t>();
    metadata.provider = parser.text();
    *rest = parser.take(parser.left());
    return !parser.is_cut();
  }
  metadata.id = static_cast<std::uint32_t>(blob.offset);
  if (version == 1) {
    const std::span<const std::byte> guid = parser.take(sizeof(Guid));
    if (guid.size() == sizeof(Guid)) metadata.provider = name_of_provider(guid);
  } else {
    metadata.provider = parser.text();
  }
  metadata.event_id = parser.number<std::uint32_t>();
  metadata.version = parser.number<std::uint32_t>();
  metadata.level = kLevelOfUndescribed;
  *rest = parser.take(parser.number<std::uint32_t>());
  return !parser.is_cut();
}

// Before version 4 no record states an opcode: .NET gives these to events with such names, and
// PerfView reads them so.
std::optional<std::uint8_t> opcode_of_name(std::string_view name) {
  const auto ends_with = [name](std::string_view lower) {
    return name.size() >= lower.size() &&
           std::equal(lower.begin(), lower.end(),
                      name.end() - static_cast<std::ptrdiff_t>(lower.size()),
                      [](char one, char other) { return one == (other | 0x20); });
  };
  if (ends_with("start")) return kOpcodeStart;
  if (ends_with("stop")) return kOpcodeStop;
  return {};
}

}  // namespace

bool parse_metadata(std::int32_t version, const Blob& blob, Metadata& metadata, std::string* why) {
  FieldCounts counts;
  Parser origin(blob.payload, counts);
  std::span<const std::byte> rest;
  if (!parse_origin(version, blob, origin, metadata, &rest)) {
    return refuse(why, "it ends within its header");
  }
  if (rest.empty() && version < kNetperfVersion) return true;
  Parser parser(rest, counts);
  metadata.event_id = parser.number<std::uint32_t>();
  metadata.event_name = parser.text();
  metadata.keywords = parser.number<std::uint64_t>();
  metadata.version = parser.number<std::uint32_t>();
  metadata.level = parser.number<std::uint32_t>();
  if (parser.is_cut()) return refuse(why, "it ends within its header");
  if (version < kTraceVersion) metadata.opcode = opcode_of_name(metadata.event_name);
  if (parser.left() < 4) return true;
  metadata.description = FieldDescription::kV1;
  metadata.fields = parser.fields(false, 0);
  if (parser.is_cut()) return refuse(why, "it ends within its fields");
  const auto forget_fields = [&metadata] {
    metadata.fields.clear();
    metadata.description = FieldDescription::kUnknown;
  };
  if (parser.is_unknown()) {
    forget_fields();
    return true;  // the place of its tags is unknown
  }
  while (parser.left() >= 5) {
    const auto bytes = parser.number<std::uint32_t>();
    const auto kind = parser.number<std::uint8_t>();
    Parser tag(parser.take(bytes), counts);
    if (parser.is_cut()) return refuse(why, "it ends within a tag");
    if (kind == kTagOpcode && tag.left() >= 1) {
      metadata.opcode = tag.number<std::uint8_t>();
    } else if (kind == kTagV2Fields) {
      metadata.description = FieldDescription::kV2;
      metadata.fields = tag.fields(true, 0);
      if (tag.is_cut()) return refuse(why, "it ends within its fields");
      if (tag.is_unknown()) forget_fields();
    } else if (kind == kTagRingsideThreadName) {
      metadata.names_threads = metadata.fields.size() == 2 &&
                               metadata.fields[0].type == TypeCode::kUInt64 &&
                               metadata.fields[1].type == TypeCode::kString;
    } else if (kind == kTagRingsideSite) {
      const std::span<const std::byte> site = tag.take(tag.left());
      metadata.ringside_site.assign(reinterpret_cast<const char*>(site.data()), site.size());
    }
  }
  return true;
}

std::size_t value_bytes(const MetadataField& field, std::span<const std::byte> payload) {
  if (field.is_fixed) return payload.size() < field.fixed_bytes ? kNoValue : field.fixed_bytes;
  if (field.type == TypeCode::kString) {
    const std::size_t bytes = utf16_text_bytes(payload);
    return bytes == kNoUtf16End ? kNoValue : bytes + 2;
  }
  std::size_t at = 0;
  const auto pass = [&](const MetadataField& part) {
    const std::size_t bytes = value_bytes(part, payload.subspan(at));
    if (bytes == kNoValue) return false;
    at += bytes;
    return true;
  };
  if (field.type == TypeCode::kArray) {
    if (payload.size() < 2) return kNoValue;
    const std::size_t count = trace::load<std::uint16_t>(payload.data());
    at = 2;
    const MetadataField& element = field.parts.front();
    if (element.is_fixed) {
      const std::size_t bytes = count * element.fixed_bytes;
      return payload.size() - at < bytes ? kNoValue : at + bytes;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (!pass(element)) return kNoValue;
    }
    return at;
  }
  for (const MetadataField& part : field.parts) {
    if (!pass(part)) return kNoValue;
  }
  return at;
}

PayloadFit fit_payload(const Metadata& metadata, std::span<const std::byte> payload) {
  if (metadata.fields.empty()) return PayloadFit::kNoFields;
  for (const MetadataField& field : metadata.fields) {
    const std::size_t bytes = value_bytes(field, payload);
    if (bytes == kNoValue) return PayloadFit::kTooShort;
    payload = payload.subspan(bytes);
  }
  return payload.empty() ? PayloadFit::kExact : PayloadFit::kExtraBytes;
}

}  // namespace ringside::tool::nettrace
