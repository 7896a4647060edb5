#pragma once
// Which fields of an event become fields of a statement, and how.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/interop/ctf/ctf_layout.hpp"
#include "tools/interop/site_definition.hpp"

namespace ringside::tool::ctf {

struct Column {
  FieldDefinition field;        // without its constant and names
  const Type* names = nullptr;  // of an enumeration
  std::uint32_t index = 0;
  bool is_constant = false;  // as the facts of a trace of ours say
};

// Of any structure: its numbers, texts and arrays of these, those of structures within it as
// "outer.inner"; anything else as text. Numbers the columns from `next` on.
std::vector<Column> columns_of(Node& structure, const std::string& prefix, std::uint32_t& next);

// Only for events that there are: the type of many fields may have many names.
void add_names(const Type& enumeration, FieldDefinition& field);

// What the writer of traces says in `env` about an event of its own.
struct EventFacts {
  SiteDefinition site;  // without fields
  std::vector<Column> columns;
  std::uint32_t ext_flags = 0;
  std::uint32_t activity = kNone;  // columns and slots of the extensions
  std::uint32_t related = kNone;
  std::uint32_t substream = kNone;
  std::uint32_t stack = kNone;
  std::uint32_t duration = kNone;
};

// Empty if `json` is not about such fields: then they are taken as any other's.
std::optional<EventFacts> facts_of_event(const std::string& json, Node& fields, LayoutMaker& maker,
                                         std::uint32_t& next);

}  // namespace ringside::tool::ctf
