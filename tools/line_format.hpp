#pragma once
// One of the formats of ringcat's output.

#include <memory>
#include <string>

#include "tools/line_text.hpp"
#include "trace-format/condition/site_message.hpp"
#include "trace-format/trace_event.hpp"

namespace ringside::tool {

// Immutable; the lines that it makes outlive it.
class LineFormat {
 public:
  LineFormat() = default;
  virtual ~LineFormat() = default;
  LineFormat(const LineFormat&) = delete;
  LineFormat& operator=(const LineFormat&) = delete;

  // What stands before the first line.
  virtual std::string header() const { return {}; }

  // What all records of the event's statement and thread have in common. `message` is the
  // statement's.
  virtual std::shared_ptr<const LineText> lines_of(const trace::Event& record,
                                                   const trace::SiteMessage& message) const = 0;

  // The line of this one loss.
  virtual std::shared_ptr<const LineText> line_of_loss(const trace::Event& loss) const = 0;
};

}  // namespace ringside::tool
