#pragma once
// The parts of a line that users can name: in templates and as columns.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace-format/lines/composed_line.hpp"
#include "trace-format/reader/record_property.hpp"

namespace ringside::trace {

enum class ColumnKind : std::uint8_t {
  kTime,  // local time, or UTC on request
  kUtc,   // RFC 3339
  kProperty,
  kMessage,
  kFields,   // all fields, as a JSON object
  kContext,  // the fields of the context, likewise
  kField,    // one field of the statement, or else of the context
};

struct LineColumn {
  ColumnKind kind = ColumnKind::kMessage;
  std::string field;  // for kField: its full or short name
  Property property{};
};

// `name` is one of column_names(), "@PROPERTY" or "field:NAME". Empty otherwise.
std::optional<LineColumn> find_column(std::string_view name);

// A property that is the same for all records of a statement and thread, as text. `site` is null
// for losses.
std::string constant_property(Property property, const Event& event, const Site* site);

// Whether pairs of name and value show the property in the lines of a statement and thread: not if
// all its values are empty, nor for the kind of a log statement, nor without keywords.
bool line_has(Property property, const Event& event, const Site* site);

// All names except those of fields, for messages.
std::string column_names();

// Adds the column to the line of the event. Without a message the event is a loss: its level is
// LOST and its text describes it. A part that the event or its statement does not have is empty.
void add_column(LineParts& parts, const LineColumn& column, const Event& event,
                const SiteMessage* message, const PartStyle& style);

}  // namespace ringside::trace
