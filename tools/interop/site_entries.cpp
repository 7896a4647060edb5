#include "tools/interop/site_entries.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "trace-format/blocks/little_endian.hpp"

namespace ringside::tool {
namespace {

// The dictionary's limits: the bytes of a name, and those of all texts of an entry together.
constexpr std::size_t kMostNameBytes = 4096;
constexpr std::size_t kMostFormatBytes = 16 * kMostNameBytes;
constexpr std::size_t kMostConstantBytes = 8192;
constexpr std::size_t kMostEnumNames = 10'000;
constexpr std::size_t kMostEnumNameBytes = 64;

std::string_view shortened(std::string_view text, std::size_t most) {
  return text.substr(0, most);
}

std::vector<std::byte> enum_entry(std::uint32_t id, const FieldDefinition& field) {
  const std::size_t count = std::min(field.enum_names.size(), kMostEnumNames);
  std::size_t bytes = 16 + 16 * count;
  for (std::size_t i = 0; i < count; ++i) {
    bytes += shortened(field.enum_names[i].second, kMostEnumNameBytes).size();
  }
  std::vector<std::byte> entry((bytes + 7) & ~std::size_t{7});
  std::byte* const p = entry.data();
  trace::store(p, static_cast<std::uint32_t>(entry.size()));
  trace::store(p + 4, shm::kEntryEnumTable);
  trace::store(p + 6, static_cast<std::uint16_t>(count));
  trace::store(p + 8, id);
  std::byte* name = p + 16 + 16 * count;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [value, text] = field.enum_names[i];
    const std::string_view kept = shortened(text, kMostEnumNameBytes);
    trace::store(p + 16 + 16 * i, value);
    trace::store(p + 24 + 16 * i, static_cast<std::uint32_t>(kept.size()));
    if (!kept.empty()) std::memcpy(name, kept.data(), kept.size());
    name += kept.size();
  }
  return entry;
}

}  // namespace

std::vector<std::vector<std::byte>> site_entries(const SiteDefinition& site, std::uint32_t site_id,
                                                 std::uint32_t& enum_tables) {
  std::vector<std::vector<std::byte>> entries;
  std::vector<shm::FieldDescription> fields;
  for (const FieldDefinition& field : site.fields) {
    shm::FieldDescription& d = fields.emplace_back();
    d.type = shm::element_type(field.type);
    d.array = shm::is_array(field.type) ? 1 : 0;
    d.name = shortened(field.name, kMostNameBytes);
    if (field.is_format_argument) d.flags = shm::kFieldFormatArg;
    if (field.constant) {
      d.flags |= shm::kFieldConstant;
      const bool is_text = d.array == 0 && shm::is_variable_length(field.type);
      d.constant = is_text ? shortened(*field.constant, kMostConstantBytes) : *field.constant;
    }
    if (d.type == shm::FieldType::enumeration) {
      d.enum_table_id = ++enum_tables;
      entries.push_back(enum_entry(d.enum_table_id, field));
    }
  }
  shm::SiteDescription d;
  d.site_id = site_id;
  d.line = site.line;
  d.keywords = site.keywords;
  d.kind = site.kind;
  d.level = site.level;
  d.format_style = static_cast<std::uint8_t>(site.style);
  d.name = shortened(site.name, kMostNameBytes);
  d.category = shortened(site.category, kMostNameBytes);
  d.format = shortened(site.format, kMostFormatBytes);
  d.file = shortened(site.file, kMostNameBytes);
  d.function = shortened(site.function, kMostNameBytes);
  std::vector<std::byte> entry(shm::site_entry_bytes(d, fields));
  shm::write_site_entry(d, fields, entry.data());
  entries.push_back(std::move(entry));
  return entries;
}

bool is_carried_whole(const SiteDefinition& site) {
  const auto is_name = [](std::string_view text) { return text.size() <= kMostNameBytes; };
  return is_name(site.name) && is_name(site.category) && is_name(site.file) &&
         is_name(site.function) && site.format.size() <= kMostFormatBytes &&
         std::all_of(site.fields.begin(), site.fields.end(), [&](const FieldDefinition& field) {
           const bool is_text = !shm::is_array(field.type) && shm::is_variable_length(field.type);
           return is_name(field.name) &&
                  (!is_text || !field.constant || field.constant->size() <= kMostConstantBytes);
         });
}

}  // namespace ringside::tool
