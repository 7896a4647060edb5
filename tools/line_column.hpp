#pragma once
// The parts of a line that users name: in templates and as columns.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/composed_line.hpp"

namespace ringside::tool {

enum class ColumnKind : std::uint8_t {
  kTime,  // local time, or UTC if the user says so
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
  kFields,  // all, a JSON object
  kField,   // one
};

struct LineColumn {
  ColumnKind kind = ColumnKind::kMessage;
  std::string field;  // of kField: its name, in full or short
};

// `name` is one of column_names(), or "field:NAME". Empty if it is neither.
std::optional<LineColumn> find_column(std::string_view name);

// All names but those of fields, for messages.
std::string column_names();

// Adds it to the line of the event. Without a message the event is a loss, whose level is LOST and
// whose text tells it; what it or the statement does not have is empty.
void add_column(LineParts& parts, const LineColumn& column, const trace::Event& event,
                const trace::SiteMessage* message, const PartStyle& style);

}  // namespace ringside::tool
