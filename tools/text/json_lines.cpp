#include "tools/text/json_lines.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "shm-layout/format_style.hpp"
#include "shm-layout/level.hpp"
#include "trace-format/lines/composed_line.hpp"
#include "trace-format/lines/json_text.hpp"
#include "trace-format/lines/line_column.hpp"
#include "trace-format/lines/loss_text.hpp"
#include "trace-format/reader/record_property.hpp"

namespace ringside::tool {
namespace {

void begin(trace::LineParts& parts, std::string_view kind) {
  parts.text(fmt::format("{{\"kind\":\"{}\",\"time\":\"", kind));
  parts.part(trace::PartKind::kInternetTime);
  parts.text("\",\"unix_ns\":");
  parts.part(trace::PartKind::kUnixNs);
}

void add_text(trace::LineParts& parts, std::string_view name, std::string_view value) {
  parts.text(fmt::format(",\"{}\":{}", name, trace::quoted_json_text(value)));
}

// The origin: process and thread, and the position in the thread.
void add_origin(trace::LineParts& parts, const trace::Event& event) {
  if (event.segment != nullptr) {
    add_text(parts, "service", event.segment->service);
    parts.text(fmt::format(",\"pid\":{}", event.segment->pid));
    if (!event.segment->host.empty()) add_text(parts, "host", event.segment->host);
  }
  if (event.stream == nullptr || event.stream->id == 0) {
    parts.text(",\"thread\":null");
  } else {
    parts.text(fmt::format(",\"thread\":{{\"id\":{},\"name\":{}}}", event.stream->thread_id,
                           trace::quoted_json_text(event.stream->thread_name)));
  }
  parts.text(",\"sequence\":");
  parts.part(trace::PartKind::kSequence);
}

}  // namespace

std::shared_ptr<const trace::LineText> JsonLines::lines_of(
    const trace::Event& record, const trace::SiteMessage& message) const {
  const trace::Site& site = *record.record.site;
  trace::LineParts parts(record, &message);
  begin(parts, "record");
  add_text(parts, "level", shm::level_name(site.level));
  add_text(parts, "category", site.category);
  add_origin(parts, record);
  parts.text(fmt::format(",\"site\":{}", site.id));
  if (!site.name.empty()) add_text(parts, "name", site.name);
  add_text(parts, "file", site.file);
  parts.text(fmt::format(",\"line\":{}", site.line));
  add_text(parts, "function", site.function);
  parts.text(",\"msg\":\"");
  parts.message({.encoding = trace::make_json_text});
  parts.text("\"");
  // In other styles the message begins with the format.
  const bool is_brace = site.style == static_cast<std::uint8_t>(shm::FormatStyle::brace);
  if (is_brace || site.style == static_cast<std::uint8_t>(shm::FormatStyle::printf)) {
    add_text(parts, "format", site.format);
  }
  if (is_brace) add_text(parts, "style", "brace");
  if (site.kind != shm::SiteKind::kLog) add_text(parts, "site_kind", trace::kind_name(site.kind));
  if (site.keywords != 0) {
    add_text(parts, "keywords",
             trace::constant_property(trace::Property::kKeywords, record, &site));
  }
  parts.text(",\"fields\":");
  parts.part(trace::PartKind::kFields);
  parts.processor(trace::PartKind::kProcessorJson);
  parts.part(trace::PartKind::kExtensionJson);
  parts.part(trace::PartKind::kClockErrorJson);
  parts.text("}\n");
  return std::make_shared<trace::ComposedLine>(std::move(parts));
}

std::shared_ptr<const trace::LineText> JsonLines::line_of_loss(const trace::Event& loss) const {
  trace::LineParts parts(loss, nullptr);
  begin(parts, "loss");
  parts.text(fmt::format(",\"count\":{}", loss.lost));
  add_text(parts, "cause", trace::loss_cause_token(loss.cause));
  parts.text(fmt::format(",\"since_unix_ns\":{}", loss.since_ns));
  add_origin(parts, loss);
  parts.part(trace::PartKind::kClockErrorJson);
  parts.text("}\n");
  return std::make_shared<trace::ComposedLine>(std::move(parts));
}

}  // namespace ringside::tool
