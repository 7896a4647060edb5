#pragma once
// Lines by a user's template: "{time} {level:<8} {field:qty:>10} {msg}".

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/text/line_column.hpp"
#include "tools/text/line_format.hpp"

namespace ringside::tool {

class TemplateLines final : public LineFormat {
 public:
  // Null with `*why`, which names the place, if the template is invalid. `raw` as in TextLines.
  static std::unique_ptr<TemplateLines> make(std::string_view text, bool raw, std::string* why);

  std::vector<std::string> field_names() const override;
  std::shared_ptr<const LineText> lines_of(const trace::Event& record,
                                           const trace::SiteMessage& message) const override;
  std::shared_ptr<const LineText> line_of_loss(const trace::Event& loss) const override;

 private:
  struct Piece {
    std::string text;  // before the column
    LineColumn column;
    PartStyle style;
  };

  TemplateLines() = default;
  bool parse_column(std::string_view inside, bool raw, std::string* why);
  std::shared_ptr<const LineText> make_line(const trace::Event& event,
                                            const trace::SiteMessage* message) const;

  std::vector<Piece> pieces_;
  std::string end_;  // after the last column
};

}  // namespace ringside::tool
