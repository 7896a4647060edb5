#include "tools/line_text.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "shm-layout/level.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kMaxTexts = 65'536;

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

std::string thread_text(const trace::StreamInfo* stream) {
  if (stream == nullptr) return "[?] ";
  if (stream->thread_name.empty()) return fmt::format("[{}] ", stream->thread_id);
  return fmt::format("[{} {}] ", stream->thread_id, stream->thread_name);
}

std::string_view color_of(shm::Level level) {
  switch (level) {
    case shm::Level::kTrace:
    case shm::Level::kDebug:
      return "\x1b[2m";  // dim
    case shm::Level::kNotice:
      return "\x1b[36m";  // cyan
    case shm::Level::kWarning:
      return "\x1b[33m";  // yellow
    case shm::Level::kError:
      return "\x1b[31m";  // red
    case shm::Level::kCritical:
      return "\x1b[1;31m";  // bold red
    default:
      return "";
  }
}

constexpr std::string_view kLossColor = "\x1b[35m";  // magenta

std::string colored(std::string_view word, std::string_view color) {
  return color.empty() ? std::string(word) : fmt::format("{}{}\x1b[0m", color, word);
}

}  // namespace

LineText::LineText(std::string head, std::shared_ptr<const trace::MessageFormat> format)
    : head_(std::move(head)), format_(std::move(format)) {
  head_bytes_ = head_.size();
  head_.append(trace::TextSink::kSlack, '\0');
}

void LineText::append(trace::TextSink& out, std::span<const trace::Value> args, bool cut) const {
  out.write_padded(head_.data(), head_bytes_);
  if (format_ != nullptr) format_->append(out, args);
  if (cut) out.write(" [cut]");
  out.put('\n');
}

std::size_t LineTexts::KeyHash::operator()(const Key& key) const {
  constexpr std::size_t kOdd = 0x9E3779B97F4A7C15;
  const std::size_t site = std::hash<const void*>()(key.site) ^ key.section;
  return (site * kOdd ^ std::hash<const void*>()(key.stream)) * kOdd >> 8;
}

const std::shared_ptr<const LineText>& LineTexts::of(const trace::Event& event) {
  if (event.kind == trace::EventKind::kLoss) return loss_ = make_loss(event);
  const Key key{event.record.site, event.stream, event.section};
  const std::uint32_t revision = event.stream == nullptr ? 0 : event.stream->revision;
  Recent& recent = recent_[KeyHash()(key) % kRecent];
  if (recent.key != key || recent.text == nullptr || recent.text->revision != revision)
      [[unlikely]] {
    const Text& text = find(key, event);
    recent_[KeyHash()(key) % kRecent] = {key, &text};
    return text.text;
  }
  return recent.text->text;
}

const LineTexts::Text& LineTexts::find(const Key& key, const trace::Event& event) {
  // Texts of sections that ended are dropped with the others now and then; those in use come back.
  if (texts_.size() >= kMaxTexts) {
    recent_.fill({});
    texts_.clear();
    messages_.clear();
  }
  Text& text = texts_[key];
  const std::uint32_t revision = event.stream == nullptr ? 0 : event.stream->revision;
  if (text.text == nullptr || text.revision != revision) text = {make(event), revision};
  return text;
}

const SiteMessage& LineTexts::message_of(const trace::Event& event) {
  const Key key{event.record.site, nullptr, event.section};
  return messages_.try_emplace(key, *event.record.site).first->second;
}

std::shared_ptr<const LineText> LineTexts::make(const trace::Event& event) {
  const trace::Site& site = *event.record.site;
  const SiteMessage& message = message_of(event);
  const std::string level =
      colored(shm::level_name(site.level), color_ ? color_of(site.level) : std::string_view());
  std::string head = fmt::format(" {}:{} {} {}", base_name(site.file), site.line, level,
                                 thread_text(event.stream));
  if (message.is_fixed()) {
    trace::TextSink text;
    message.append(text, {});
    head += text.text();
    return std::make_shared<const LineText>(std::move(head), nullptr);
  }
  return std::make_shared<const LineText>(std::move(head), message.format());
}

std::shared_ptr<const LineText> LineTexts::make_loss(const trace::Event& event) const {
  return std::make_shared<const LineText>(
      fmt::format(" -:0 {} {}{} records: {}", colored("LOST", color_ ? kLossColor : ""),
                  thread_text(event.stream), event.lost, cause_text(event.cause)),
      nullptr);
}

}  // namespace ringside::tool
