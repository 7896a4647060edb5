#include "tools/text/json_lines.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "shm-layout/format_style.hpp"
#include "shm-layout/level.hpp"
#include "tools/text/composed_line.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/loss_text.hpp"

namespace ringside::tool {
namespace {

void begin(LineParts& parts, std::string_view kind) {
  parts.text(fmt::format("{{\"kind\":\"{}\",\"time\":\"", kind));
  parts.part(PartKind::kInternetTime);
  parts.text("\",\"unix_ns\":");
  parts.part(PartKind::kUnixNs);
}

void add_text(LineParts& parts, std::string_view name, std::string_view value) {
  parts.text(fmt::format(",\"{}\":{}", name, quoted_json_text(value)));
}

// The origin: process and thread, and the position in the thread.
void add_origin(LineParts& parts, const trace::Event& event) {
  if (event.segment != nullptr) {
    add_text(parts, "service", event.segment->service);
    parts.text(fmt::format(",\"pid\":{}", event.segment->pid));
    if (!event.segment->host.empty()) add_text(parts, "host", event.segment->host);
  }
  if (event.stream == nullptr || event.stream->id == 0) {
    parts.text(",\"thread\":null");
  } else {
    parts.text(fmt::format(",\"thread\":{{\"id\":{},\"name\":{}}}", event.stream->thread_id,
                           quoted_json_text(event.stream->thread_name)));
  }
  parts.text(",\"sequence\":");
  parts.part(PartKind::kSequence);
}

}  // namespace

std::shared_ptr<const LineText> JsonLines::lines_of(const trace::Event& record,
                                                    const trace::SiteMessage& message) const {
  const trace::Site& site = *record.record.site;
  LineParts parts(record, &message);
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
  parts.message({.encoding = make_json_text});
  parts.text("\"");
  // In other styles the message begins with the format.
  const bool is_brace = site.style == static_cast<std::uint8_t>(shm::FormatStyle::brace);
  if (is_brace || site.style == static_cast<std::uint8_t>(shm::FormatStyle::printf)) {
    add_text(parts, "format", site.format);
  }
  if (is_brace) add_text(parts, "style", "brace");
  parts.text(",\"fields\":");
  parts.part(PartKind::kFields);
  parts.part(PartKind::kExtensionJson);
  parts.text("}\n");
  return std::make_shared<ComposedLine>(std::move(parts));
}

std::shared_ptr<const LineText> JsonLines::line_of_loss(const trace::Event& loss) const {
  LineParts parts(loss, nullptr);
  begin(parts, "loss");
  parts.text(fmt::format(",\"count\":{}", loss.lost));
  add_text(parts, "cause", loss_cause_token(loss.cause));
  parts.text(fmt::format(",\"since_unix_ns\":{}", loss.since_ns));
  add_origin(parts, loss);
  parts.text("}\n");
  return std::make_shared<ComposedLine>(std::move(parts));
}

}  // namespace ringside::tool
