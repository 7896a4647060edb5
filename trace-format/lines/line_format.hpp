#pragma once
// Base class of ringcat's output formats.

#include <memory>
#include <string>
#include <vector>

#include "trace-format/condition/site_message.hpp"
#include "trace-format/lines/line_text.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::trace {

// Immutable; its lines may be used after it is destroyed.
class LineFormat {
 public:
  LineFormat() = default;
  virtual ~LineFormat() = default;
  LineFormat(const LineFormat&) = delete;
  LineFormat& operator=(const LineFormat&) = delete;

  // The text before the first line.
  virtual std::string header() const { return {}; }

  // Names of fields that have columns in its lines.
  virtual std::vector<std::string> field_names() const { return {}; }

  // The common part of the lines of the event's statement and thread. `message` belongs to the
  // statement.
  virtual std::shared_ptr<const LineText> lines_of(const Event& record,
                                                   const SiteMessage& message) const = 0;

  // The line of this one loss.
  virtual std::shared_ptr<const LineText> line_of_loss(const Event& loss) const = 0;
};

}  // namespace ringside::trace
