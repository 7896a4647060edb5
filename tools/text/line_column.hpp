#pragma once
// The parts of a line that users can name: in templates and as columns.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/text/composed_line.hpp"

namespace ringside::tool {

enum class ColumnKind : std::uint8_t {
  kTime,  // local time, or UTC on request
  kUtc,   // RFC 3339
  kUnixNs,
  kLevel,
  kCategory,
  kService,
  kPid,
  kHost,
  kThread,
  kThreadId,
  kFile,
  kLine,
  kFunction,
  kSite,  // its name
  kMessage,
  kSequence,
  kDurationNs,
  kActivity,
  kRelated,
  kCut,
  kFields,  // all fields, as a JSON object
  kField,   // one field
};

struct LineColumn {
  ColumnKind kind = ColumnKind::kMessage;
  std::string field;  // for kField: its full or short name
};

// `name` is one of column_names(), or "field:NAME". Empty otherwise.
std::optional<LineColumn> find_column(std::string_view name);

// All names except those of fields, for messages.
std::string column_names();

// Adds the column to the line of the event. Without a message the event is a loss: its level is
// LOST and its text describes it. A part that the event or its statement does not have is empty.
void add_column(LineParts& parts, const LineColumn& column, const trace::Event& event,
                const trace::SiteMessage* message, const PartStyle& style);

}  // namespace ringside::tool
