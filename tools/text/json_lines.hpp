#pragma once
// One JSON object per line.

#include "trace-format/lines/line_format.hpp"

namespace ringside::tool {

class JsonLines final : public trace::LineFormat {
 public:
  std::shared_ptr<const trace::LineText> lines_of(const trace::Event& record,
                                                  const trace::SiteMessage& message) const override;
  std::shared_ptr<const trace::LineText> line_of_loss(const trace::Event& loss) const override;
};

}  // namespace ringside::tool
