#pragma once
// The default format: a line of text for people.

#include <memory>
#include <string>
#include <string_view>

#include "tools/line_format.hpp"

namespace ringside::tool {

class TextLines final : public LineFormat {
 public:
  // `raw`: texts as they are, even if a terminal would obey them. With `color` the level stands
  // between a terminal's escape sequences.
  explicit TextLines(bool raw = false, bool color = false) : raw_(raw), color_(color) {}

  std::shared_ptr<const LineText> lines_of(const trace::Event& record,
                                           const trace::SiteMessage& message) const override;
  std::shared_ptr<const LineText> line_of_loss(const trace::Event& loss) const override;

 private:
  std::string shown(std::string_view text) const;

  bool raw_;
  bool color_;
};

}  // namespace ringside::tool
