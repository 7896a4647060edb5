#include "tools/interop/nettrace/nettrace_manifest.hpp"

#include <algorithm>
#include <span>

#include "tools/interop/nettrace/nettrace_manifest_rows.hpp"

namespace ringside::tool::nettrace {
namespace {

using shm::FieldType;

class FieldsParser {
 public:
  explicit FieldsParser(std::string_view text) : text_(text) {}

  // Reads up to `end`, at most `versions` parts separated by `|`.
  std::vector<ManifestField> fields(char end, std::uint32_t versions) {
    std::vector<ManifestField> fields;
    for (;;) {
      while (next_is(' ')) text_.remove_prefix(1);
      if (text_.empty() || next_is(end)) return fields;
      if (next_is('|')) {
        text_.remove_prefix(1);
        if (--versions == 0) return fields;
        continue;
      }
      fields.push_back(field(fields));
    }
  }

 private:
  bool next_is(char c) const { return !text_.empty() && text_.front() == c; }
  std::string_view take_until(std::string_view ends) {
    const std::size_t length = std::min(text_.find_first_of(ends), text_.size());
    const std::string_view taken = text_.substr(0, length);
    text_.remove_prefix(length);
    return taken;
  }

  ManifestField field(const std::vector<ManifestField>& before) {
    ManifestField field;
    field.name = take_until(":{");
    field.type = static_cast<ManifestType>(next_is('{') ? '{' : text_[1]);
    text_.remove_prefix(field.type == ManifestType::kStructure ? 1 : 2);
    if (field.type == ManifestType::kStructure) {
      field.parts = fields('}', 1);
      text_.remove_prefix(1);
    }
    if (!next_is('[')) return field;
    text_.remove_prefix(1);
    const std::string_view count = take_until("]");
    text_.remove_prefix(1);
    const auto counted = std::find_if(before.begin(), before.end(),
                                      [&](const ManifestField& f) { return f.name == count; });
    field.count_field = static_cast<std::size_t>(counted - before.begin());
    return field;
  }

  std::string_view text_;
};

std::span<const ManifestRow> rows_of(std::string_view provider) {
  if (provider == kRuntimeProvider) return runtime_rows();
  if (provider == kRundownProvider) return rundown_rows();
  if (provider == kSamplerProvider) return sampler_rows();
  if (provider == kStressProvider) return stress_rows();
  return {};
}

FieldType type_of(ManifestType type) {
  switch (type) {
    case ManifestType::kU8:
      return FieldType::u8;
    case ManifestType::kU16:
      return FieldType::u16;
    case ManifestType::kU32:
      return FieldType::u32;
    case ManifestType::kU64:
      return FieldType::u64;
    case ManifestType::kI32:
      return FieldType::i32;
    case ManifestType::kI64:
      return FieldType::i64;
    case ManifestType::kF64:
      return FieldType::f64;
    case ManifestType::kBoolean:
      return FieldType::boolean;
    case ManifestType::kPointer:
      return FieldType::pointer;
    case ManifestType::kBytes:
      return FieldType::bytes;
    default:
      return FieldType::string;
  }
}

void add_columns(std::vector<FieldDefinition>& columns, const std::vector<ManifestField>& fields,
                 const std::string& prefix, bool is_array) {
  for (const ManifestField& field : fields) {
    if (field.type == ManifestType::kStructure) {
      add_columns(columns, field.parts, prefix + field.name + '.', true);
      continue;
    }
    const FieldType type = type_of(field.type);
    const bool has_elements = is_array || (field.is_counted() && type != FieldType::bytes);
    columns.push_back({prefix + field.name, has_elements ? shm::array_of(type) : type});
  }
}

}  // namespace

std::vector<FieldDefinition> ManifestEvent::columns() const {
  std::vector<FieldDefinition> columns;
  add_columns(columns, fields, {}, false);
  return columns;
}

std::optional<ManifestEvent> find_manifest_event(std::string_view provider, std::uint32_t id,
                                                 std::uint32_t version) {
  const ManifestRow* row = nullptr;
  for (const ManifestRow& candidate : rows_of(provider)) {
    if (candidate.id == id && (row == nullptr || candidate.first_version <= version)) {
      row = &candidate;
    }
  }
  if (row == nullptr) return {};
  const std::uint32_t later = version > row->first_version ? version - row->first_version : 0;
  ManifestEvent event;
  event.name = row->name;
  if (version != 0) event.name += "_V" + std::to_string(version);
  event.opcode = row->opcode;
  event.fields = FieldsParser(row->fields).fields('\0', std::min(later, UINT32_MAX - 1) + 1);
  return event;
}

}  // namespace ringside::tool::nettrace
