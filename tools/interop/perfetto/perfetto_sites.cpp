#include "tools/interop/perfetto/perfetto_sites.hpp"

#include <utility>

#include "shm-layout/dictionary_entry.hpp"
#include "tools/interop/perfetto/perfetto_printf_types.hpp"
#include "tools/interop/site_format.hpp"

namespace ringside::tool::perfetto {
namespace {

constexpr std::size_t kMostSiteNameBytes = 4096;

void append_number(std::string& key, std::uint64_t number) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_text(std::string& key, std::string_view text) {
  append_number(key, text.size());
  key += text;
}

void append_fields(SiteDefinition& definition, const std::vector<ArgumentField>& fields) {
  for (const ArgumentField& field : fields) {
    definition.fields.push_back({.name = std::string(field.name), .type = field.type});
  }
}

}  // namespace

std::string key_of(const SiteDefinition& definition) {
  std::string key;
  key += static_cast<char>(definition.kind);
  key += static_cast<char>(definition.level);
  key += static_cast<char>(definition.style);
  append_number(key, definition.keywords);
  append_number(key, definition.line);
  for (const std::string* const text : {&definition.name, &definition.category, &definition.format,
                                        &definition.file, &definition.function}) {
    append_text(key, *text);
  }
  for (const FieldDefinition& field : definition.fields) {
    key += static_cast<char>(field.type);
    append_text(key, field.name);
    append_text(key, field.constant ? *field.constant : std::string());
  }
  return key;
}

SiteChoice Sites::find(SiteDefinition definition, const std::vector<ArgumentField>& fields) {
  append_fields(definition, fields);
  SiteChoice choice;
  if (definition.style == shm::FormatStyle::printf) {
    choice.converts = take_printf_types(definition);
    if (!choice.converts) definition.style = shm::FormatStyle::none;
  } else if (!can_format(definition)) {
    definition.style = shm::FormatStyle::none;
  }
  std::string key = key_of(definition);
  const auto found = ids_.find(key);
  if (found != ids_.end()) {
    choice.id = found->second;
    return choice;
  }
  choice.with_name =
      definition.name.size() > kMostSiteNameBytes || definitions_.size() >= kMostNamedSites;
  if (choice.with_name) {
    definition.name = definition.format = "perfetto";
    definition.style = shm::FormatStyle::none;
    choice.with_name = definition.fields.size() < shm::kMaxFields;
    if (choice.with_name) {
      definition.fields.push_back(
          {.name = std::string(kNameField), .type = shm::FieldType::string});
    }
    key = key_of(definition);
    const auto general = ids_.find(key);
    if (general != ids_.end()) {
      choice.id = general->second;
      return choice;
    }
  }
  choice.id = add(std::move(definition), std::move(key));
  return choice;
}

std::uint32_t Sites::extended(std::uint32_t id, const std::vector<ArgumentField>& fields) {
  SiteDefinition definition = definitions_[id - 1];
  append_fields(definition, fields);
  std::string key = key_of(definition);
  const auto found = ids_.find(key);
  if (found != ids_.end()) return found->second;
  return add(std::move(definition), std::move(key));
}

std::uint32_t Sites::add(SiteDefinition definition, std::string key) {
  const std::size_t bytes = 2 * key.size() + sizeof definition;
  if (definitions_.size() >= 2 * kMostNamedSites || bytes_ + bytes > kMostBytes) return 0;
  bytes_ += bytes;
  definitions_.push_back(std::move(definition));
  const std::uint32_t id = builder_.add_site(definitions_.back());
  ids_.emplace(std::move(key), id);
  return id;
}

}  // namespace ringside::tool::perfetto
