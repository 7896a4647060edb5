#include "tools/text/csv_lines.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {
namespace {

// Uses a table, because find_first_of() makes a call for each character of a text.
bool wants_quotes(std::string_view text) {
  static constexpr auto kWanting = [] {
    std::array<std::uint8_t, 256> wanting{};
    for (const char character : {'"', ',', '\r', '\n'}) {
      wanting[static_cast<unsigned char>(character)] = 1;
    }
    return wanting;
  }();
  unsigned wants = 0;
  for (const char character : text) wants |= kWanting[static_cast<unsigned char>(character)];
  return wants != 0;
}

// Quotes what `out` holds after `begin` if RFC 4180 requires it.
void make_csv_value(trace::TextSink& out, std::size_t begin) {
  const std::string_view written = out.text().substr(begin);
  if (!wants_quotes(written)) return;
  const std::string text(written);
  out.take_back(text.size());
  out.put('"');
  for (const char character : text) {
    if (character == '"') out.put('"');
    out.put(character);
  }
  out.put('"');
}

void make_visible_csv_value(trace::TextSink& out, std::size_t begin) {
  trace::make_visible(out, begin);
  make_csv_value(out, begin);
}

}  // namespace

std::unique_ptr<CsvLines> CsvLines::make(std::string_view columns, bool for_terminal,
                                         std::string* why) {
  std::unique_ptr<CsvLines> lines(new CsvLines);
  lines->for_terminal_ = for_terminal;
  for (;;) {
    const std::size_t comma = columns.find(',');
    const std::string name(columns.substr(0, comma));
    if (name.empty()) {
      *why = "--columns has an empty name; separate names by single commas, such as time,level,msg";
      return nullptr;
    }
    auto column = trace::find_column(name);
    lines->columns_.emplace_back(
        name, column ? std::move(*column) : trace::LineColumn{trace::ColumnKind::kField, name});
    if (comma == std::string_view::npos) return lines;
    columns.remove_prefix(comma + 1);
  }
}

std::string CsvLines::header() const {
  trace::TextSink out;
  for (const auto& [name, column] : columns_) {
    if (out.size() != 0) out.put(',');
    const std::size_t begin = out.size();
    out.write(name);
    for_terminal_ ? make_visible_csv_value(out, begin) : make_csv_value(out, begin);
  }
  out.put('\n');
  return std::string(out.text());
}

std::vector<std::string> CsvLines::field_names() const {
  std::vector<std::string> names;
  for (const auto& [name, column] : columns_) {
    if (column.kind == trace::ColumnKind::kField) names.push_back(column.field);
  }
  return names;
}

std::shared_ptr<const trace::LineText> CsvLines::make_line(
    const trace::Event& event, const trace::SiteMessage* message) const {
  trace::LineParts parts(event, message);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (i != 0) parts.text(",");
    trace::add_column(parts, columns_[i].second, event, message,
                      {.encoding = for_terminal_ ? make_visible_csv_value : make_csv_value});
  }
  parts.text("\n");
  return std::make_shared<trace::ComposedLine>(std::move(parts));
}

std::shared_ptr<const trace::LineText> CsvLines::lines_of(const trace::Event& record,
                                                          const trace::SiteMessage& message) const {
  return make_line(record, &message);
}

std::shared_ptr<const trace::LineText> CsvLines::line_of_loss(const trace::Event& loss) const {
  return make_line(loss, nullptr);
}

}  // namespace ringside::tool
