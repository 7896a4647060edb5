#include "tools/text/text_lines.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "shm-layout/format_style.hpp"
#include "shm-layout/level.hpp"
#include "tools/text/line_clocks.hpp"
#include "tools/text/line_event.hpp"
#include "tools/text/loss_text.hpp"
#include "tools/text/visible_text.hpp"

namespace ringside::tool {
namespace {

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string thread_text(const trace::StreamInfo* stream) {
  if (stream == nullptr) return "[?] ";
  if (stream->id == 0) return "[-] ";  // losses of threads without a ring
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

// Whether every value of the type has a text of printable ASCII.
bool is_printable(shm::FieldType type) {
  using shm::FieldType;
  return shm::is_integer(type) || type == FieldType::boolean || type == FieldType::f32 ||
         type == FieldType::f64 || type == FieldType::f80 || type == FieldType::pointer;
}

// Whether messages need no check: their parts other than numbers are known and printable.
bool is_printable(const trace::Site& site) {
  if (!is_printable_ascii(site.format)) return false;
  // "{:c}" shows an integer as a character.
  if (site.style == static_cast<std::uint8_t>(shm::FormatStyle::brace) &&
      site.format.find("c}") != std::string::npos) {
    return false;
  }
  for (const trace::Field& field : site.fields) {
    if (!is_printable(field.type) || !is_printable_ascii(field.name)) return false;
  }
  return true;
}

class TextLine final : public LineText {
 public:
  // `format` may be null: then `head` is the whole line except its time.
  TextLine(std::string head, std::shared_ptr<const trace::MessageFormat> format, bool looks)
      : head_bytes_(head.size()), format_(std::move(format)), looks_(looks) {
    if (head.size() <= short_head_.size()) {
      std::copy(head.begin(), head.end(), short_head_.begin());
      head_ = short_head_.data();
    } else {
      long_head_ = std::move(head);
      long_head_.append(trace::TextSink::kSlack, '\0');
      head_ = long_head_.data();
    }
  }

  bool has_arguments() const override { return format_ != nullptr; }

  void append(trace::TextSink& out, const LineEvent& event, LineClocks& clocks) const override {
    clocks.wall.append(out, event.unix_ns);
    out.write_padded(head_, head_bytes_);
    if (format_ != nullptr) {
      const std::size_t begin = out.size();
      format_->append(out, event.args);
      if (looks_) make_visible(out, begin);
    }
    if (event.cut()) out.write(" [cut]");
    out.put('\n');
  }

 private:
  const char* head_ = nullptr;
  std::size_t head_bytes_;
  std::shared_ptr<const trace::MessageFormat> format_;
  bool looks_;  // makes control characters visible
  // The head. A short one is stored here, so that it is in the cache with the other members.
  std::array<char, trace::TextSink::kSlack> short_head_{};
  std::string long_head_;  // otherwise; followed by TextSink::kSlack bytes
};

}  // namespace

std::string TextLines::shown(std::string_view text) const {
  return raw_ ? std::string(text) : visible(text);
}

std::shared_ptr<const LineText> TextLines::lines_of(const trace::Event& record,
                                                    const trace::SiteMessage& message) const {
  const trace::Site& site = *record.record.site;
  const std::string level =
      colored(shm::level_name(site.level), color_ ? color_of(site.level) : std::string_view());
  const bool has_place =
      !site.file.empty() || site.line != 0;  // false for records of other formats
  const std::string file = has_place ? shown(base_name(site.file)) : "-";
  std::string head =
      fmt::format(" {}:{} {} {}", file, site.line, level, shown(thread_text(record.stream)));
  if (message.is_fixed()) {
    trace::TextSink text;
    message.append(text, {});
    head += shown(text.text());
  }
  return std::make_shared<TextLine>(std::move(head),
                                    message.is_fixed() ? nullptr : message.format(),
                                    !raw_ && !is_printable(site));
}

std::shared_ptr<const LineText> TextLines::line_of_loss(const trace::Event& loss) const {
  return std::make_shared<TextLine>(
      fmt::format(" -:0 {} {}{}", colored("LOST", color_ ? kLossColor : ""),
                  shown(thread_text(loss.stream)), loss_text(loss)),
      nullptr, false);
}

}  // namespace ringside::tool
