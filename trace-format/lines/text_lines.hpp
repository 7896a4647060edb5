#pragma once
// The default format: one line of text for people.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "trace-format/lines/line_format.hpp"

namespace ringside::trace {

class TextLines final : public LineFormat {
 public:
  // `raw`: texts unchanged, even if a terminal would interpret them. With `color` the level is
  // enclosed in escape sequences.
  // `shown`: properties, see property_bit(), that follow the message as name=value if the
  // record has them.
  explicit TextLines(bool raw = false, bool color = false, std::uint32_t shown = 0)
      : raw_(raw), color_(color), shown_(shown) {}

  std::shared_ptr<const LineText> lines_of(const Event& record,
                                           const SiteMessage& message) const override;
  std::shared_ptr<const LineText> line_of_loss(const Event& loss) const override;

 private:
  std::string shown(std::string_view text) const;
  std::shared_ptr<const LineText> pairs_of(const Event& record, const SiteMessage& message) const;

  bool raw_;
  bool color_;
  std::uint32_t shown_;
};

// The properties of a list "NAME,NAME" as bits; "all": those that a text line does not have anyway.
// Empty with `*why` if a name is unknown.
std::optional<std::uint32_t> parse_shown(std::string_view list, std::string* why);

}  // namespace ringside::trace
