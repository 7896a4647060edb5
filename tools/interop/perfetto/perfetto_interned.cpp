#include "tools/interop/perfetto/perfetto_interned.hpp"

#include <iterator>
#include <optional>
#include <utility>

#include "tools/interop/perfetto/perfetto_fields.hpp"
#include "tools/interop/perfetto/protobuf_decoding.hpp"

namespace ringside::tool::perfetto {
namespace {

constexpr std::uint64_t kEntryBytes = 192;  // in addition to its text
constexpr std::size_t kSpareNumbers = 16;

std::optional<Kind> kind_of_field(std::uint32_t field) {
  switch (field) {
    case interned_data::kCategories:
      return Kind::kCategory;
    case interned_data::kEventNames:
      return Kind::kEventName;
    case interned_data::kAnnotationNames:
      return Kind::kAnnotationName;
    case interned_data::kSourceLocations:
      return Kind::kSourceLocation;
    case interned_data::kStringValues:
      return Kind::kStringValue;
    case interned_data::kLogBodies:
      return Kind::kLogBody;
    default:
      return std::nullopt;
  }
}

bool is_same(const InternedEntry& one, const InternedEntry& other) {
  return one.text == other.text && one.function == other.function && one.line == other.line;
}

}  // namespace

std::string_view name_of(Kind kind) {
  constexpr std::string_view kNames[] = {"event_categories",
                                         "event_names",
                                         "debug_annotation_names",
                                         "source_locations",
                                         "debug_annotation_string_values",
                                         "log_message_body"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Kind::kCount));
  return kNames[static_cast<std::size_t>(kind)];
}

OwnFact own_fact(std::string_view annotation_name) {
  constexpr std::string_view kPrefix = "ringside.";
  constexpr std::pair<std::string_view, OwnFact> kFacts[] = {
      {"level", OwnFact::kLevel},         {"kind", OwnFact::kKind},
      {"keywords", OwnFact::kKeywords},   {"name", OwnFact::kName},
      {"format", OwnFact::kFormat},       {"style", OwnFact::kStyle},
      {"sequence", OwnFact::kSequence},   {"activity", OwnFact::kActivity},
      {"related", OwnFact::kRelated},     {"substream", OwnFact::kSubstream},
      {"stack_id", OwnFact::kStack},      {"cut", OwnFact::kCut},
      {"processor", OwnFact::kProcessor}, {"message", OwnFact::kMessage},
      {"count", OwnFact::kCount},         {"cause", OwnFact::kCause},
      {"since_unix_ns", OwnFact::kSince},
  };
  if (!annotation_name.starts_with(kPrefix)) return OwnFact::kNone;
  annotation_name.remove_prefix(kPrefix.size());
  for (const auto& [name, fact] : kFacts) {
    if (name == annotation_name) return fact;
  }
  return OwnFact::kNone;
}

bool read_entry(std::string_view message, std::uint64_t& number, InternedEntry& entry) {
  protobuf::Fields fields(message);
  for (protobuf::Field field; fields.next(field);) {
    switch (field.number) {
      case interned_data::kIid:
        number = field.value;
        break;
      case interned_data::kName:
        if (field.is_bytes()) entry.text = field.bytes;
        break;
      case interned_data::kFunctionName:
        if (field.is_bytes()) entry.function = field.bytes;
        break;
      case interned_data::kLineNumber:
        entry.line = static_cast<std::uint32_t>(field.value);
        break;
      default:
        break;
    }
  }
  return fields.is_sound();
}

InternedEntries::Added InternedEntries::add(std::string_view interned_data,
                                            std::uint64_t& bytes_left) {
  Added result = Added::kNew;
  protobuf::Fields fields(interned_data);
  for (protobuf::Field field; fields.next(field);) {
    const std::optional<Kind> kind = kind_of_field(field.number);
    if (!kind || !field.is_bytes()) continue;
    std::uint64_t number = 0;
    InternedEntry entry;
    if (!read_entry(field.bytes, number, entry)) return Added::kUnsound;
    if (*kind == Kind::kAnnotationName) entry.fact = own_fact(entry.text);
    const std::uint64_t bytes = kEntryBytes + entry.text.size() + entry.function.size();
    Table& table = tables_[static_cast<std::size_t>(*kind)];
    auto& entries = table.entries;
    const auto found = entries.find(number);
    if (found != entries.end() && is_same(found->second, entry)) continue;
    if (bytes > bytes_left) {
      result = Added::kTooMany;
      continue;
    }
    bytes_left -= bytes;
    bytes_ += bytes;
    if (found == entries.end()) {
      const InternedEntry& added = entries.emplace(number, std::move(entry)).first->second;
      if (number < 2 * entries.size() + kSpareNumbers) {
        if (number >= table.small.size()) table.small.resize(number + 1);
        table.small[number] = &added;
      }
    } else {
      found->second = std::move(entry);
      if (result == Added::kNew) result = Added::kChanged;
    }
  }
  return fields.is_sound() ? result : Added::kUnsound;
}

void InternedEntries::clear(std::uint64_t& bytes_left) {
  for (Table& table : tables_) {
    table.entries.clear();
    table.small.clear();
  }
  bytes_left += std::exchange(bytes_, 0);
}

}  // namespace ringside::tool::perfetto
