// What records are grouped or joined by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace-format/query/record_info.hpp"

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
};

struct KeyPart {
  KeyPartKind kind = KeyPartKind::kField;
  std::size_t field = 0;          // kField: which of those that the query names
  std::uint64_t interval_ns = 1;  // kInterval; not 0
};

// One part of a group's key, for people.
struct KeyText {
  std::string text;
  double number = 0;       // to sort by, if it is one
  bool is_number = false;  // text is then a number too, or a time (kInterval: Unix time in ns)

  bool operator==(const KeyText&) const = default;
};

// Appends what tells the record's key from others: equal keys give equal bytes, whatever the width
// and sign of the integer types that record them. A field that the site lacks is a key of its own.
void append_key(std::string& bytes, const std::vector<KeyPart>& parts, const RecordInfo& record);

std::vector<KeyText> key_texts(const std::vector<KeyPart>& parts, const RecordInfo& record);

// Numbers by size before texts by bytes.
bool sorts_before(const std::vector<KeyText>& a, const std::vector<KeyText>& b);

}  // namespace ringside::trace::query
