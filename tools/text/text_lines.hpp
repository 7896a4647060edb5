#pragma once
// The default format: one line of text for people.

#include <memory>
#include <string>
#include <string_view>

#include "tools/text/line_format.hpp"

namespace ringside::tool {

class TextLines final : public LineFormat {
 public:
  // `raw`: texts unchanged, even if a terminal would interpret them. With `color` the level is
  // enclosed in escape sequences.
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
