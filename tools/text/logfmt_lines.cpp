#include "tools/text/logfmt_lines.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/text/composed_line.hpp"
#include "tools/text/field_keys.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/line_column.hpp"
#include "tools/text/visible_text.hpp"

namespace ringside::tool {
namespace {

struct Pair {
  std::string_view name;
  ColumnKind kind;
};

constexpr Pair kPairs[] = {{"time", ColumnKind::kUtc},
                           {"level", ColumnKind::kLevel},
                           {"category", ColumnKind::kCategory},
                           {"service", ColumnKind::kService},
                           {"pid", ColumnKind::kPid},
                           {"thread", ColumnKind::kThread},
                           {"thread_id", ColumnKind::kThreadId},
                           {"seq", ColumnKind::kSequence},
                           {"file", ColumnKind::kFile},
                           {"line", ColumnKind::kLine},
                           {"msg", ColumnKind::kMessage}};

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

void make_logfmt_value(trace::TextSink& out, std::size_t begin) {
  const std::string_view written = out.text().substr(begin);
  const bool plain = !written.empty() && is_printable_ascii(written) &&
                     written.find_first_of(" =\"\\") == std::string_view::npos;
  if (plain) return;
  const std::string text(written);
  out.take_back(text.size());
  out.put('"');
  append_json_text(out, text);
  out.put('"');
}

// Omits pairs that would be empty for all of these records.
bool has(const Pair& pair, const trace::Event& event, const trace::Site* site) {
  switch (pair.kind) {
    case ColumnKind::kCategory:
      return site != nullptr && !site->category.empty();
    case ColumnKind::kFile:
    case ColumnKind::kLine:
      return site != nullptr;
    case ColumnKind::kThread:
      return event.stream != nullptr && !event.stream->thread_name.empty();
    case ColumnKind::kThreadId:
      return event.stream != nullptr;
    case ColumnKind::kService:
    case ColumnKind::kPid:
      return event.segment != nullptr;
    default:
      return true;
  }
}

std::shared_ptr<const LineText> make_line(const trace::Event& event,
                                          const trace::SiteMessage* message) {
  const trace::Site* const site = message == nullptr ? nullptr : event.record.site;
  const PartStyle style{.encoding = make_logfmt_value};
  LineParts parts(event, message);
  std::vector<std::string_view> taken;
  for (const Pair& pair : kPairs) {
    taken.push_back(pair.name);
    if (!has(pair, event, site)) continue;
    if (&pair != &kPairs[0]) parts.text(" ");
    parts.text(pair.name);
    parts.text("=");
    add_column(parts, {pair.kind, {}}, event, message, style);
  }
  if (site != nullptr) {
    const std::vector<std::string> names = field_keys(*site, logfmt_name, taken);
    for (std::size_t i = 0; i < names.size(); ++i) {
      parts.text(" " + names[i] + "=");
      parts.field(i, style);
    }
  }
  parts.part(PartKind::kExtensionPairs);
  parts.text("\n");
  return std::make_shared<ComposedLine>(std::move(parts));
}

}  // namespace

std::shared_ptr<const LineText> LogfmtLines::lines_of(const trace::Event& record,
                                                      const trace::SiteMessage& message) const {
  return make_line(record, &message);
}

std::shared_ptr<const LineText> LogfmtLines::line_of_loss(const trace::Event& loss) const {
  return make_line(loss, nullptr);
}

}  // namespace ringside::tool
