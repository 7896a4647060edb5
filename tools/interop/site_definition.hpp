#pragma once
// A statement as a reader of a foreign format describes it to the TraceBuilder.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/field_type.hpp"
#include "shm-layout/format_style.hpp"
#include "shm-layout/level.hpp"

namespace ringside::tool {

struct FieldDefinition {
  std::string name;
  shm::FieldType type = shm::FieldType::none;  // arrays: shm::array_of(element)
  // The value of a field that never changes and that records do not contain: numbers little-endian
  // in their size, texts unchanged, arrays as their elements (texts in these with a preceding u32
  // length).
  std::optional<std::string> constant = {};
  bool is_format_argument = false;  // a `*` width or precision of a printf format
  // For an enumeration: its names.
  std::vector<std::pair<std::int64_t, std::string>> enum_names = {};

  bool operator==(const FieldDefinition&) const = default;
};

struct SiteDefinition {
  shm::SiteKind kind = shm::SiteKind::kEvent;
  shm::Level level = shm::Level::kInfo;
  shm::FormatStyle style = shm::FormatStyle::none;
  std::uint64_t keywords = 0;
  std::uint32_t line = 0;
  std::string name;
  std::string category;
  std::string format;  // the beginning of a line, style none; most readers: the event's name
  std::string file;
  std::string function;
  std::vector<FieldDefinition> fields;  // at most shm::kMaxFields

  bool operator==(const SiteDefinition&) const = default;
};

}  // namespace ringside::tool
