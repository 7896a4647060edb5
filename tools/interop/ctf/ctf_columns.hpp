#pragma once
// Decides which fields of an event become fields of a statement, and how.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/interop/ctf/ctf_layout.hpp"
#include "tools/interop/site_definition.hpp"

namespace ringside::tool::ctf {

struct Column {
  FieldDefinition field;        // without its constant and names
  const Type* names = nullptr;  // the enumeration's type
  std::uint32_t index = 0;
  bool is_constant = false;  // if the facts of a trace of Ringside say so
};

// The columns of any structure: its numbers, texts and arrays of these, those of its inner
// structures as "outer.inner"; anything else as text. Numbers the columns from `next` on.
std::vector<Column> columns_of(Node& structure, const std::string& prefix, std::uint32_t& next);

// Called only for events that occur, because a type of many fields can have many names.
void add_names(const Type& enumeration, FieldDefinition& field);

// What Ringside's writer records in `env` about one of its own events.
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

// Empty if `json` does not describe these fields: then they are read like those of any other tool.
std::optional<EventFacts> facts_of_event(const std::string& json, Node& fields, LayoutMaker& maker,
                                         std::uint32_t& next);

}  // namespace ringside::tool::ctf
