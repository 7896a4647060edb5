#include "tools/interop/nettrace/nettrace_ringside_site.hpp"

#include <cstring>
#include <span>
#include <vector>

#include "tools/interop/ringtrace_format.hpp"
#include "tools/interop/site_entries.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::tool::nettrace {
namespace {

constexpr std::uint32_t kTagVersion = 1;
constexpr std::uint32_t kSiteId = 1;

template <class Number>
void append(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_text(std::string& out, std::string_view text) {
  append(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

class TagReader {
 public:
  explicit TagReader(std::string_view bytes) : bytes_(bytes) {}

  template <class Number>
  Number number() {
    Number value = 0;
    if (bytes_.size() < sizeof value) {
      sound_ = false;
      return value;
    }
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const auto bytes = number<std::uint32_t>();
    if (bytes > bytes_.size()) {
      sound_ = false;
      return {};
    }
    std::string text(bytes_.substr(0, bytes));
    bytes_.remove_prefix(bytes);
    return text;
  }
  bool sound() const { return sound_; }
  std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
  bool sound_ = true;
};

TypeCode code_of(shm::FieldType type) {
  using shm::FieldType;
  switch (type) {
    case FieldType::boolean:
      return TypeCode::kBoolean;
    case FieldType::character:
      return TypeCode::kChar;
    case FieldType::i8:
      return TypeCode::kSByte;
    case FieldType::i16:
      return TypeCode::kInt16;
    case FieldType::i32:
      return TypeCode::kInt32;
    case FieldType::i64:
    case FieldType::enumeration:
      return TypeCode::kInt64;
    case FieldType::u8:
      return TypeCode::kByte;
    case FieldType::u16:
      return TypeCode::kUInt16;
    case FieldType::u32:
      return TypeCode::kUInt32;
    case FieldType::u64:
    case FieldType::pointer:
      return TypeCode::kUInt64;
    case FieldType::f32:
      return TypeCode::kSingle;
    case FieldType::f64:
      return TypeCode::kDouble;
    case FieldType::string:
      return TypeCode::kString;
    case FieldType::bytes:
      return TypeCode::kArray;
    case FieldType::i128:
    case FieldType::u128:
    case FieldType::f80:
    case FieldType::none:
      return TypeCode::kObject;
  }
  return TypeCode::kObject;
}

bool is_same_type(const MetadataField& a, const MetadataField& b) {
  if (a.type != b.type || a.parts.size() != b.parts.size()) return false;
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    if (!is_same_type(a.parts[i], b.parts[i])) return false;
  }
  return true;
}

}  // namespace

MetadataField described(std::string_view name, shm::FieldType type) {
  MetadataField field;
  field.name = name;
  if (shm::is_array(type)) {
    field.type = TypeCode::kArray;
    field.parts.push_back(described({}, shm::element_type(type)));
    return field;
  }
  field.type = code_of(type);
  if (type == shm::FieldType::bytes) field.parts.push_back(described({}, shm::FieldType::u8));
  if (type == shm::FieldType::i128 || type == shm::FieldType::u128) {
    field.parts.push_back(described("low", shm::FieldType::u64));
    field.parts.push_back(described("high", shm::FieldType::u64));
  }
  if (type == shm::FieldType::f80) {
    field.parts.push_back(described("mantissa", shm::FieldType::u64));
    field.parts.push_back(described("exponent", shm::FieldType::u16));
  }
  field.fixed_bytes = static_cast<std::uint32_t>(shm::fixed_size(type));
  if (type == shm::FieldType::boolean) field.fixed_bytes = 4;
  if (type == shm::FieldType::character) field.fixed_bytes = 2;
  field.is_fixed = field.fixed_bytes != 0;
  return field;
}

std::string ringside_tag(const RingsideSite& site) {
  std::string tag;
  append(tag, kTagVersion);
  append(tag, site.ext_flags);
  append(tag, site.process_index);
  append(tag, site.process.pid);
  append(tag, site.process.uid);
  append(tag, site.process.start_unix_ns);
  append_text(tag, site.process.service);
  append_text(tag, site.process.executable);
  append_text(tag, site.process.host);
  std::uint32_t enum_tables = 0;
  for (const auto& entry : site_entries(site.definition, kSiteId, enum_tables)) {
    tag.append(reinterpret_cast<const char*>(entry.data()), entry.size());
  }
  return tag;
}

bool parse_ringside_tag(const Metadata& metadata, RingsideSite& site) {
  TagReader reader(metadata.ringside_site);
  if (reader.number<std::uint32_t>() != kTagVersion) return false;
  site.ext_flags = reader.number<std::uint32_t>() & kTypeExtensions;
  site.process_index = reader.number<std::uint32_t>();
  site.process.pid = reader.number<std::uint32_t>();
  site.process.uid = reader.number<std::uint32_t>();
  site.process.start_unix_ns = reader.number<std::uint64_t>();
  site.process.service = reader.text();
  site.process.executable = reader.text();
  site.process.host = reader.text();
  if (!reader.sound()) return false;
  // Entries are aligned.
  const std::string_view rest = reader.rest();
  const std::vector<std::byte> entries(
      reinterpret_cast<const std::byte*>(rest.data()),
      reinterpret_cast<const std::byte*>(rest.data()) + rest.size());
  trace::SiteTable table;
  std::string why;
  if (!table.add(entries, &why)) return false;
  const trace::Site* const found = table.find(kSiteId);
  if (found == nullptr) return false;
  site.definition = definition_of(*found);
  std::vector<MetadataField> expected;
  for (const FieldDefinition& field : site.definition.fields) {
    expected.push_back(described(field.name, field.type));
  }
  const auto expect_extension = [&](std::uint32_t flag, shm::FieldType type) {
    if ((site.ext_flags & flag) != 0) expected.push_back(described({}, type));
  };
  expect_extension(shm::kExtSubstream, shm::FieldType::u64);
  expect_extension(shm::kExtStack, shm::FieldType::u32);
  expect_extension(shm::kExtDuration, shm::FieldType::u64);
  if (expected.size() != metadata.fields.size()) return false;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!is_same_type(expected[i], metadata.fields[i])) return false;
  }
  return true;
}

}  // namespace ringside::tool::nettrace
