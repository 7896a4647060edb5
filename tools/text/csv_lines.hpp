#pragma once
// Comma-separated values (RFC 4180, with line feeds as line ends) after a line of names.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace-format/lines/line_column.hpp"
#include "trace-format/lines/line_format.hpp"

namespace ringside::tool {

class CsvLines final : public trace::LineFormat {
 public:
  // `columns`: names as in templates, separated by commas; other names are fields. Null with `*why`
  // if one is empty. `for_terminal`: control characters of texts are shown as in text lines.
  static std::unique_ptr<CsvLines> make(std::string_view columns, bool for_terminal,
                                        std::string* why);

  std::string header() const override;
  std::vector<std::string> field_names() const override;
  std::shared_ptr<const trace::LineText> lines_of(const trace::Event& record,
                                                  const trace::SiteMessage& message) const override;
  std::shared_ptr<const trace::LineText> line_of_loss(const trace::Event& loss) const override;

 private:
  CsvLines() = default;
  std::shared_ptr<const trace::LineText> make_line(const trace::Event& event,
                                                   const trace::SiteMessage* message) const;

  std::vector<std::pair<std::string, trace::LineColumn>> columns_;  // by name, in order
  bool for_terminal_ = false;
};

inline constexpr std::string_view kDefaultCsvColumns =
    "utc,level,category,service,pid,thread_id,thread,seq,file,line,function,msg,fields";

}  // namespace ringside::tool
