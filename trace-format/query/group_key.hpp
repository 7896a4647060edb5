// The keys by which records are grouped or joined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace-format/query/record_info.hpp"
#include "trace-format/reader/record_property.hpp"

namespace ringside::trace::query {

enum class KeyPartKind : std::uint8_t {
  kField,
  kThread,
  kService,  // its name
  kProcess,  // a segment: one run of a service
  kSite,
  kLevel,
  kCategory,
  kInterval,  // of time
  kProperty,
};

struct KeyPart {
  KeyPartKind kind = KeyPartKind::kField;
  std::size_t field = 0;          // kField: index of the field in the query
  std::uint64_t interval_ns = 1;  // kInterval; not 0
  // kProperty; `field` is then the index of the first of kProcessorFields in the query.
  Property property{};
};

// The value of a property. `processor_field`: the index of the first of kProcessorFields in the
// query, for Property::kProcessor.
PropertyValue property_of(const RecordInfo& record, Property property, std::size_t processor_field);

// One part of a group's key, as text for display.
struct KeyText {
  std::string text;
  double number = 0;       // to sort by, if the key is a number
  bool is_number = false;  // text is then a number too, or a time (kInterval: Unix time in ns)

  bool operator==(const KeyText&) const = default;
};

// Appends bytes that identify the record's key: equal keys give equal bytes, for any width and sign
// of the recorded integer types. A field that the site lacks is a separate key.
void append_key(std::string& bytes, const std::vector<KeyPart>& parts, const RecordInfo& record);

std::vector<KeyText> key_texts(const std::vector<KeyPart>& parts, const RecordInfo& record);

// Numbers by value, before texts by bytes.
bool sorts_before(const std::vector<KeyText>& a, const std::vector<KeyText>& b);

}  // namespace ringside::trace::query
