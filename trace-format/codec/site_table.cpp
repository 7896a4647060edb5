#include "trace-format/codec/site_table.hpp"

#include <algorithm>

#include "shm-layout/segment_layout.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::trace {
namespace {

using shm::FieldType;

// A constant is stored in its entry like its value in an extent: numbers in their natural size,
// texts and arrays as their bytes without length or count.
bool constant_value(const Field& field, Value& value) {
  const FieldType type = field.is_array ? shm::array_of(field.type) : field.type;
  const std::string& raw = field.constant;
  const auto* p = reinterpret_cast<const std::byte*>(raw.data());
  if (field.is_array) {
    std::uint32_t count = 0;
    const std::size_t element = shm::fixed_size(field.type);
    if (element == 0) {
      if (!text_elements_fit(p, raw.size(), count)) return false;
    } else {
      if (raw.size() % element != 0) return false;
      count = static_cast<std::uint32_t>(raw.size() / element);
    }
    value = Value::of_array(type, raw, count);
    return true;
  }
  if (shm::is_variable_length(type)) {
    value = Value::of_text(type, raw);
    return true;
  }
  const std::size_t size = shm::fixed_size(type);
  if (raw.size() != size) return false;
  value.type = type;
  value.u64 = load_bytes(p, std::min<std::size_t>(size, 8));
  if (size > 8) value.high = load_bytes(p + 8, size - 8);
  if (shm::is_signed(type) && size < 8) {
    const unsigned unused = 64 - 8 * static_cast<unsigned>(size);
    value.i64 = static_cast<std::int64_t>(value.u64 << unused) >> unused;
  }
  if (type == FieldType::enumeration) value.text = field.enum_table->find(value.i64);
  return true;
}

bool fail(std::string* why, std::string text) {
  if (why != nullptr) *why = std::move(text);
  return false;
}

}  // namespace

std::string_view EnumTable::find(std::int64_t value) const {
  const auto it =
      std::lower_bound(names.begin(), names.end(), value,
                       [](const auto& name, std::int64_t wanted) { return name.first < wanted; });
  return it != names.end() && it->first == value ? std::string_view(it->second)
                                                 : std::string_view();
}

bool SiteTable::add(std::span<const std::byte> entries, std::string* why) {
  const std::size_t total = entries.size();
  while (!entries.empty()) {
    const std::uint32_t bytes = shm::entry_bytes(entries);
    if (bytes == 0) {
      return fail(why, "dictionary entry at byte " + std::to_string(total - entries.size()) +
                           " is truncated or has an invalid length");
    }
    const auto entry = entries.first(bytes);
    const std::uint16_t kind = shm::entry_kind(entry);
    const bool sound = shm::is_site_entry(kind)       ? add_site(entry, why)
                       : kind == shm::kEntryEnumTable ? add_enum_table(entry, why)
                                                      : true;
    if (!sound) return false;
    entries = entries.subspan(bytes);
  }
  return true;
}

bool SiteTable::add_site(std::span<const std::byte> entry, std::string* why) {
  const auto view = shm::SiteEntryView::parse(entry);
  if (!view) return fail(why, "the dictionary entry of a site contradicts itself");
  const shm::SiteDescription& d = view->site();
  const std::string label = "site " + std::to_string(d.site_id);
  if (d.site_id == 0 || d.site_id >= shm::kMaxSiteCapacity) {
    return fail(why, label + ": the id is outside 1.." + std::to_string(shm::kMaxSiteCapacity - 1));
  }
  if (find(d.site_id) != nullptr) return true;

  auto site = std::make_unique<Site>();
  site->id = d.site_id;
  site->line = d.line;
  site->keywords = d.keywords;
  site->kind = d.kind;
  site->level = d.level;
  site->style = d.format_style;
  site->flags = d.flags;
  site->name = d.name;
  site->category = d.category;
  site->format = d.format;
  site->file = d.file;
  site->function = d.function;
  site->fields.reserve(view->field_count());
  view->for_each_field([&](std::uint16_t index, const shm::FieldDescription& f) {
    Field field;
    field.type = f.type;
    field.is_array = f.array != 0;
    field.flags = f.flags;
    field.enum_table_id = f.enum_table_id;
    field.name = f.name;
    field.constant = f.constant;
    if (f.type == FieldType::enumeration) field.enum_table = &enums_[f.enum_table_id];
    const FieldType type = field.is_array ? shm::array_of(f.type) : f.type;
    if (!field.is_constant()) append_field(site->plan, index, type);
    site->fields.push_back(std::move(field));
  });
  for (const Field& field : site->fields) {
    Value value;
    value.type = field.is_array ? shm::array_of(field.type) : field.type;
    if (field.is_constant() && !constant_value(field, value)) {
      return fail(why, label + ": the constant of field \"" + field.name +
                           "\" does not have the size of its type");
    }
    // A first record may have the tag "same as before" for values that are all 0.
    if (value.type == FieldType::enumeration) value.text = field.enum_table->find(value.i64);
    site->initial_values.push_back(value);
  }
  site->reading = read_plan(site->plan);
  if (d.site_id >= sites_.size()) sites_.resize(std::size_t{d.site_id} + 1);
  sites_[d.site_id] = site.get();
  owned_.push_back(std::move(site));
  return true;
}

bool SiteTable::add_enum_table(std::span<const std::byte> entry, std::string* why) {
  constexpr std::size_t kFixed = 16;
  constexpr std::size_t kEach = 16;
  const std::byte* p = entry.data();
  const std::size_t count = load<std::uint16_t>(p + 6);
  const auto id = load<std::uint32_t>(p + 8);
  if (entry.size() < kFixed || count * kEach > entry.size() - kFixed) {
    return fail(why, "enum table " + std::to_string(id) + ": more values than its entry can hold");
  }
  EnumTable& table = enums_[id];
  if (!table.names.empty()) return true;
  std::size_t at = kFixed + count * kEach;
  std::vector<std::pair<std::int64_t, std::string>> names;
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* v = p + kFixed + i * kEach;
    const auto name_bytes = load<std::uint32_t>(v + 8);
    if (name_bytes > entry.size() - at) {
      return fail(why, "enum table " + std::to_string(id) + ": a name is longer than its entry");
    }
    names.emplace_back(load<std::int64_t>(v),
                       std::string(reinterpret_cast<const char*>(p + at), name_bytes));
    at += name_bytes;
  }
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  table.names = std::move(names);
  return true;
}

}  // namespace ringside::trace
