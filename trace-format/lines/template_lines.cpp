#include "trace-format/lines/template_lines.hpp"

#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "trace-format/lines/visible_text.hpp"

namespace ringside::trace {
namespace {

constexpr std::uint16_t kMostWidth = 1000;

std::optional<Alignment> alignment_of(char sign) {
  switch (sign) {
    case '<':
      return Alignment::kLeft;
    case '>':
      return Alignment::kRight;
    case '^':
      return Alignment::kCenter;
    default:
      return std::nullopt;
  }
}

// Removes a width such as ":>10" from the end of the text between the braces.
std::optional<PartStyle> take_width(std::string_view& inside) {
  const std::size_t colon = inside.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == inside.size()) return PartStyle();
  const std::optional<Alignment> alignment = alignment_of(inside[colon + 1]);
  if (!alignment) return PartStyle();
  PartStyle style;
  style.alignment = *alignment;
  const char* const begin = inside.data() + colon + 2;
  const char* const end = inside.data() + inside.size();
  const auto [at, error] = std::from_chars(begin, end, style.width);
  if (error != std::errc() || at != end || style.width > kMostWidth) return std::nullopt;
  inside = inside.substr(0, colon);
  return style;
}

}  // namespace

bool TemplateLines::parse_column(std::string_view inside, bool raw, std::string* why) {
  const std::string_view whole = inside;
  const auto style = take_width(inside);
  if (!style) {
    *why = fmt::format("'{{{}}}' has an invalid width; use a number up to {}, as in {{level:<8}}",
                       whole, kMostWidth);
    return false;
  }
  auto column = find_column(inside);
  if (!column) {
    *why = fmt::format("unknown name '{{{}}}'; use {} or field:NAME", whole, column_names());
    return false;
  }
  pieces_.push_back({std::move(end_), std::move(*column), *style});
  pieces_.back().style.encoding = raw ? nullptr : make_visible;
  end_.clear();
  return true;
}

std::unique_ptr<TemplateLines> TemplateLines::make(std::string_view text, bool raw,
                                                   std::string* why) {
  std::unique_ptr<TemplateLines> lines(new TemplateLines);
  const auto refuse = [&](std::size_t at, const std::string& reason) {
    *why = fmt::format("--template, character {}: {}", at + 1, reason);
    return nullptr;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char character = text[at];
    const bool twice = at + 1 < text.size() && text[at + 1] == character;
    if ((character == '{' || character == '}') && twice) {
      lines->end_ += character;
      ++at;
    } else if (character == '}') {
      return refuse(at, "unmatched }; write }} for the character");
    } else if (character != '{') {
      lines->end_ += character;
    } else {
      const std::size_t end = text.find('}', at);
      if (end == std::string_view::npos) {
        return refuse(at, "unmatched {; write {{ for the character");
      }
      std::string reason;
      if (!lines->parse_column(text.substr(at + 1, end - at - 1), raw, &reason)) {
        return refuse(at, reason);
      }
      at = end;
    }
  }
  lines->end_ += '\n';
  return lines;
}

std::vector<std::string> TemplateLines::field_names() const {
  std::vector<std::string> names;
  for (const Piece& piece : pieces_) {
    if (piece.column.kind == ColumnKind::kField) names.push_back(piece.column.field);
  }
  return names;
}

std::shared_ptr<const LineText> TemplateLines::make_line(const Event& event,
                                                         const SiteMessage* message) const {
  LineParts parts(event, message);
  for (const Piece& piece : pieces_) {
    parts.text(piece.text);
    add_column(parts, piece.column, event, message, piece.style);
  }
  parts.text(end_);
  return std::make_shared<ComposedLine>(std::move(parts));
}

std::shared_ptr<const LineText> TemplateLines::lines_of(const Event& record,
                                                        const SiteMessage& message) const {
  return make_line(record, &message);
}

std::shared_ptr<const LineText> TemplateLines::line_of_loss(const Event& loss) const {
  return make_line(loss, nullptr);
}

}  // namespace ringside::trace
