#include "tools/text/logfmt_lines.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace-format/lines/composed_line.hpp"
#include "trace-format/lines/field_keys.hpp"
#include "trace-format/lines/line_column.hpp"
#include "trace-format/lines/logfmt_value.hpp"
#include "trace-format/lines/record_extension_text.hpp"

namespace ringside::tool {
namespace {

constexpr std::string_view kPairs[] = {"time",      "level", "category", "service", "pid", "thread",
                                       "thread_id", "seq",   "file",     "line",    "msg"};

// Of a statement; written after the fields, like those of an extension.
constexpr trace::Property kLastPairs[] = {trace::Property::kKind, trace::Property::kKeywords};

// Replaces characters that names must not contain by underscores.
std::string logfmt_name(std::string_view name) {
  std::string out(name);
  std::replace_if(
      out.begin(), out.end(),
      [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte <= 0x20 || byte >= 0x7F || c == '=' || c == '"' || c == '\\';
      },
      '_');
  return out;
}

std::shared_ptr<const trace::LineText> make_line(const trace::Event& event,
                                                 const trace::SiteMessage* message) {
  const trace::Site* const site = message == nullptr ? nullptr : event.record.site;
  const trace::PartStyle style{.encoding = trace::make_logfmt_value};
  trace::LineParts parts(event, message);
  std::vector<std::string_view> taken(std::begin(kPairs), std::end(kPairs));
  const auto add = [&](std::string_view name, const trace::LineColumn& column) {
    const bool is_property = column.kind == trace::ColumnKind::kProperty;
    if (is_property && !trace::line_has(column.property, event, site)) return;
    if (name != kPairs[0]) parts.text(" ");
    parts.text(name);
    parts.text("=");
    trace::add_column(parts, column, event, message, style);
  };
  for (const std::string_view name : kPairs) {
    add(name, name == "time" ? trace::LineColumn{trace::ColumnKind::kUtc, {}, {}}
                             : *trace::find_column(name));
  }
  for (const trace::Property property : kLastPairs) {
    taken.push_back(trace::entry_of(property).name);
  }
  taken.push_back(trace::entry_of(trace::Property::kProcessor).name);
  for (const trace::Property property : trace::kExtensionProperties) {
    taken.push_back(trace::entry_of(property).name);
  }
  if (site != nullptr) {
    const std::vector<std::string> names = trace::field_keys(*site, logfmt_name, taken);
    for (std::size_t i = 0; i < names.size(); ++i) {
      parts.text(" " + names[i] + "=");
      parts.field(i, style);
    }
  }
  for (const trace::Property property : kLastPairs) {
    add(trace::entry_of(property).name, {trace::ColumnKind::kProperty, {}, property});
  }
  parts.processor(trace::PartKind::kProcessorPair);
  parts.pairs(UINT32_MAX);
  parts.part(trace::PartKind::kContextPairs);
  parts.part(trace::PartKind::kOrderPair);
  parts.text("\n");
  return std::make_shared<trace::ComposedLine>(std::move(parts));
}

}  // namespace

std::shared_ptr<const trace::LineText> LogfmtLines::lines_of(
    const trace::Event& record, const trace::SiteMessage& message) const {
  return make_line(record, &message);
}

std::shared_ptr<const trace::LineText> LogfmtLines::line_of_loss(const trace::Event& loss) const {
  return make_line(loss, nullptr);
}

}  // namespace ringside::tool
