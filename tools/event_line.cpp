#include "tools/event_line.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "shm-layout/format_style.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kMaxSiteTexts = 65'536;

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view cause_text(trace::LossCause cause) {
  switch (cause) {
    case trace::LossCause::kRingFull:
      return "the ring was full";
    case trace::LossCause::kNoConsumer:
      return "no consumer ran";
    case trace::LossCause::kSeveral:
      return "the ring was full, partly without a consumer";
    case trace::LossCause::kMissing:
      return "they are missing from the file";
    case trace::LossCause::kUnknown:
      break;
  }
  return "the cause is unknown";
}

}  // namespace

const EventLine::SiteText& EventLine::text_of(const trace::Event& event) {
  const trace::Site& site = *event.record.site;
  const SiteKey key{&site, event.section};
  if (key == last_site_) return *last_text_;
  // Texts of sections that ended are dropped with the others now and then; those in use come back.
  if (sites_.size() >= kMaxSiteTexts) sites_.clear();
  std::unique_ptr<SiteText>& text = sites_[key];
  if (text == nullptr) {
    text = std::make_unique<SiteText>();
    text->context =
        fmt::format(" {}:{} {} [", base_name(site.file), site.line, shm::level_name(site.level));
    std::vector<trace::FormatField> fields;
    for (const trace::Field& field : site.fields) {
      fields.push_back({field.name, field.is_array ? shm::array_of(field.type) : field.type});
    }
    text->format = trace::MessageFormat::parse(static_cast<shm::FormatStyle>(site.style),
                                               site.format, fields, &text->refusal);
  }
  last_site_ = key;
  last_text_ = text.get();
  return *text;
}

void EventLine::append_thread(std::string& out, const trace::StreamInfo* stream) {
  if (stream == nullptr) {
    out += "?] ";
    return;
  }
  fmt::format_int id(stream->thread_id);
  out.append(id.data(), id.size());
  if (!stream->thread_name.empty()) {
    out += ' ';
    out += stream->thread_name;
  }
  out += "] ";
}

void EventLine::append(std::string& out, const trace::Event& event) {
  clock_.append(out, event.unix_ns);
  if (event.kind == trace::EventKind::kLoss) {
    append_loss(out, event);
    return;
  }
  const SiteText& text = text_of(event);
  out += text.context;
  append_thread(out, event.stream);
  if (text.format) {
    text.format->append(out, event.record.args);
  } else {
    out +=
        fmt::format("<format \"{}\" cannot be used: {}>", event.record.site->format, text.refusal);
  }
  if (event.record.cut) out += " [cut]";
  out += '\n';
}

void EventLine::append_loss(std::string& out, const trace::Event& event) {
  out += " -:0 LOST [";
  append_thread(out, event.stream);
  out += fmt::format("{} records: {}\n", event.lost, cause_text(event.cause));
}

}  // namespace ringside::tool
