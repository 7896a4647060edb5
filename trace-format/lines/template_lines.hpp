#pragma once
// Lines by a user's template: "{time} {level:<8} {field:qty:>10} {msg}".

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace-format/lines/line_column.hpp"
#include "trace-format/lines/line_format.hpp"

namespace ringside::trace {

class TemplateLines final : public LineFormat {
 public:
  // Null with `*why`, which names the place, if the template is invalid. `raw` as in TextLines.
  static std::unique_ptr<TemplateLines> make(std::string_view text, bool raw, std::string* why);

  std::vector<std::string> field_names() const override;
  std::shared_ptr<const LineText> lines_of(const Event& record,
                                           const SiteMessage& message) const override;
  std::shared_ptr<const LineText> line_of_loss(const Event& loss) const override;

 private:
  struct Piece {
    std::string text;  // before the column
    LineColumn column;
    PartStyle style;
  };

  TemplateLines() = default;
  bool parse_column(std::string_view inside, bool raw, std::string* why);
  std::shared_ptr<const LineText> make_line(const Event& event, const SiteMessage* message) const;

  std::vector<Piece> pieces_;
  std::string end_;  // after the last column
};

}  // namespace ringside::trace
