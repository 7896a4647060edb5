#pragma once
// One JSON object per line.

#include "tools/text/line_format.hpp"

namespace ringside::tool {

class JsonLines final : public LineFormat {
 public:
  std::shared_ptr<const LineText> lines_of(const trace::Event& record,
                                           const trace::SiteMessage& message) const override;
  std::shared_ptr<const LineText> line_of_loss(const trace::Event& loss) const override;
};

}  // namespace ringside::tool
