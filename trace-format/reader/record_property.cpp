#include "trace-format/reader/record_property.hpp"

#include <algorithm>
#include <charconv>

#include "shm-layout/level.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside::trace {
namespace {

constexpr PropertyEntry kProperties[] = {
    {"unix_ns", Property::kUnixNs, PropertyType::kNumber, false},
    {"level", Property::kLevel, PropertyType::kNumber, true},
    {"kind", Property::kKind, PropertyType::kText, true},
    {"keywords", Property::kKeywords, PropertyType::kNumber, true},
    {"category", Property::kCategory, PropertyType::kText, true},
    {"service", Property::kService, PropertyType::kText, false},
    {"pid", Property::kPid, PropertyType::kNumber, false},
    {"host", Property::kHost, PropertyType::kText, false},
    {"thread", Property::kThread, PropertyType::kNumberAndText, false},
    {"thread_id", Property::kThreadId, PropertyType::kNumber, false},
    {"file", Property::kFile, PropertyType::kText, true},
    {"line", Property::kLine, PropertyType::kNumber, true},
    {"function", Property::kFunction, PropertyType::kText, true},
    {"site", Property::kSite, PropertyType::kText, true},
    {"seq", Property::kSequence, PropertyType::kNumber, false},
    {"duration_ns", Property::kDurationNs, PropertyType::kNumber, false},
    {"substream", Property::kSubstream, PropertyType::kNumber, false},
    {"activity", Property::kActivity, PropertyType::kText, false},
    {"related", Property::kRelated, PropertyType::kText, false},
    {"stack_id", Property::kStackId, PropertyType::kNumber, false},
    {"processor", Property::kProcessor, PropertyType::kNumber, false},
    {"cut", Property::kCut, PropertyType::kBoolean, false},
};

// entry_of() uses a property as an index.
static_assert([] {
  for (std::size_t i = 0; i < std::size(kProperties); ++i) {
    if (static_cast<std::size_t>(kProperties[i].property) != i) return false;
  }
  return true;
}());

PropertyValue number_value(std::uint64_t number) {
  return {.type = PropertyValue::Type::kNumber, .number = number};
}

PropertyValue text_value(std::string_view text) {
  return {.type = PropertyValue::Type::kText, .text = text};
}

PropertyValue extension_property(Property property, const PropertySource& source) {
  if (source.extension == nullptr) return {};
  const RecordExtension& extension = *source.extension;
  const auto has = [&](std::uint32_t flag) { return (extension.ext_flags & flag) != 0; };
  switch (property) {
    case Property::kSubstream:
      return has(shm::kExtSubstream) ? number_value(extension.substream) : PropertyValue{};
    case Property::kStackId:
      return has(shm::kExtStack) ? number_value(extension.stack_id) : PropertyValue{};
    case Property::kActivity:
      if (!has(shm::kExtActivity)) return {};
      return {.type = PropertyValue::Type::kId, .id = extension.activity.data()};
    case Property::kRelated:
      if (!has(shm::kExtRelatedActivity)) return {};
      return {.type = PropertyValue::Type::kId, .id = extension.related.data()};
    default:
      break;
  }
  if (!has(shm::kExtDuration) || source.tick_hz == 0) return {};
  const auto ns = static_cast<UInt128>(extension.duration) * 1'000'000'000 / source.tick_hz;
  return number_value(ns > UINT64_MAX ? UINT64_MAX : static_cast<std::uint64_t>(ns));
}

PropertyValue site_property(Property property, const Site* site) {
  if (site == nullptr) return {};
  switch (property) {
    case Property::kLevel:
      return number_value(static_cast<std::uint64_t>(site->level));
    case Property::kKind:
      return text_value(kind_name(site->kind));
    case Property::kKeywords:
      return {.type = PropertyValue::Type::kMask, .number = site->keywords};
    case Property::kCategory:
      return text_value(site->category);
    case Property::kFile:
      return text_value(site->file);
    case Property::kLine:
      return number_value(site->line);
    case Property::kFunction:
      return text_value(site->function);
    default:
      return text_value(site->name);
  }
}

}  // namespace

std::span<const PropertyEntry> properties() {
  return kProperties;
}

const PropertyEntry* find_property(std::string_view name) {
  if (name.starts_with('@')) name.remove_prefix(1);
  const auto* const found =
      std::find_if(std::begin(kProperties), std::end(kProperties),
                   [&](const PropertyEntry& entry) { return entry.name == name; });
  return found == std::end(kProperties) ? nullptr : found;
}

const PropertyEntry& entry_of(Property property) {
  return kProperties[static_cast<std::size_t>(property)];
}

std::string property_names() {
  std::string names;
  for (const PropertyEntry& entry : kProperties) {
    if (!names.empty()) names += ", ";
    names += entry.name;
  }
  return names;
}

PropertySource PropertySource::of(const Event& event) {
  PropertySource source;
  source.site = event.record.site;
  source.segment = event.segment;
  source.stream = event.stream;
  source.extension = &event.record;
  source.processor_code = event.record.processor;
  source.unix_ns = event.unix_ns;
  source.sequence = event.record.sequence;
  source.tick_hz = event.segment == nullptr ? 0 : event.segment->tick_hz;
  return source;
}

PropertyValue read_property(Property property, const PropertySource& source) {
  switch (property) {
    case Property::kUnixNs:
      return number_value(source.unix_ns);
    case Property::kSequence:
      return number_value(source.sequence);
    case Property::kService:
      return source.segment == nullptr ? PropertyValue{} : text_value(source.segment->service);
    case Property::kPid:
      return source.segment == nullptr ? PropertyValue{} : number_value(source.segment->pid);
    case Property::kHost:
      return source.segment == nullptr ? PropertyValue{} : text_value(source.segment->host);
    case Property::kThread:
      return source.stream == nullptr ? PropertyValue{} : text_value(source.stream->thread_name);
    case Property::kThreadId:
      return source.stream == nullptr ? PropertyValue{} : number_value(source.stream->thread_id);
    case Property::kProcessor:
      if (source.processor_code != 0) return number_value(source.processor_code - 1);
      return source.processor == nullptr ? PropertyValue{} : number_value(source.processor->u64);
    case Property::kCut: {
      if (source.extension == nullptr || !source.extension->cut) return {};
      return {.type = PropertyValue::Type::kBoolean, .number = 1};
    }
    case Property::kDurationNs:
    case Property::kSubstream:
    case Property::kActivity:
    case Property::kRelated:
    case Property::kStackId:
      return extension_property(property, source);
    default:
      return site_property(property, source.site);
  }
}

void append_property(TextSink& out, Property property, const PropertySource& source) {
  const PropertyValue value = read_property(property, source);
  if (property == Property::kLevel && value) {
    return out.write(shm::level_name(static_cast<shm::Level>(value.number)));
  }
  char* const begin = out.reserve(kActivityDigits);
  switch (value.type) {
    case PropertyValue::Type::kNone:
      return;
    case PropertyValue::Type::kNumber:
      return out.commit(std::to_chars(begin, begin + 24, value.number).ptr);
    case PropertyValue::Type::kMask:
      begin[0] = '0';
      begin[1] = 'x';
      return out.commit(std::to_chars(begin + 2, begin + 24, value.number, 16).ptr);
    case PropertyValue::Type::kText:
      return out.write(value.text);
    case PropertyValue::Type::kBoolean:
      return out.write("true");
    case PropertyValue::Type::kId:
      write_activity(value.id, begin);
      return out.commit(begin + kActivityDigits);
  }
}

void write_activity(const std::uint8_t* id, char* digits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (std::size_t i = 0; i < kActivityDigits / 2; ++i) {
    digits[2 * i] = kDigits[id[i] >> 4];
    digits[2 * i + 1] = kDigits[id[i] & 15];
  }
}

std::optional<std::size_t> processor_field(const Site& site) {
  for (std::size_t i = 0; i < site.fields.size(); ++i) {
    const Field& field = site.fields[i];
    const bool is_named = std::find(std::begin(kProcessorFields), std::end(kProcessorFields),
                                    field.name) != std::end(kProcessorFields);
    if (is_named && !field.is_array && shm::is_integer(field.type)) return i;
  }
  return std::nullopt;
}

}  // namespace ringside::trace
