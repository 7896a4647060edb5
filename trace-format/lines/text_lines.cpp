#include "trace-format/lines/text_lines.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "shm-layout/format_style.hpp"
#include "shm-layout/level.hpp"
#include "trace-format/lines/context_text.hpp"
#include "trace-format/lines/line_clocks.hpp"
#include "trace-format/lines/line_column.hpp"
#include "trace-format/lines/line_event.hpp"
#include "trace-format/lines/logfmt_value.hpp"
#include "trace-format/lines/loss_text.hpp"
#include "trace-format/lines/record_extension_text.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::trace {
namespace {

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string thread_text(const StreamInfo* stream) {
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
bool is_printable(const Site& site) {
  if (!is_printable_ascii(site.format)) return false;
  // "{:c}" shows an integer as a character.
  if (site.style == static_cast<std::uint8_t>(shm::FormatStyle::brace) &&
      site.format.find("c}") != std::string::npos) {
    return false;
  }
  for (const Field& field : site.fields) {
    if (!is_printable(field.type) || !is_printable_ascii(field.name)) return false;
  }
  return true;
}

// What a line shows without being asked, at its beginning or as [cut].
constexpr std::uint32_t kAllShown =
    ~(property_bit(Property::kUnixNs) | property_bit(Property::kLevel) |
      property_bit(Property::kThread) | property_bit(Property::kThreadId) |
      property_bit(Property::kFile) | property_bit(Property::kLine) | property_bit(Property::kCut));

void make_visible_logfmt_value(TextSink& out, std::size_t begin) {
  make_visible(out, begin);
  make_logfmt_value(out, begin);
}

class TextLine final : public LineText {
 public:
  // `format` may be null: then `head` is the whole line except its time.
  // `pairs`: what follows the message; null: nothing.
  TextLine(std::string head, std::shared_ptr<const MessageFormat> format, bool looks,
           std::shared_ptr<const LineText> pairs, bool raw = false)
      : head_bytes_(head.size()),
        format_(std::move(format)),
        looks_(looks),
        raw_(raw),
        pairs_(std::move(pairs)) {
    if (head.size() <= short_head_.size()) {
      std::copy(head.begin(), head.end(), short_head_.begin());
      head_ = short_head_.data();
    } else {
      long_head_ = std::move(head);
      long_head_.append(TextSink::kSlack, '\0');
      head_ = long_head_.data();
    }
  }

  bool has_arguments() const override {
    return format_ != nullptr || (pairs_ != nullptr && pairs_->has_arguments());
  }

  void append(TextSink& out, const LineEvent& event, LineClocks& clocks) const override {
    clocks.wall.append(out, event.unix_ns);
    out.write_padded(head_, head_bytes_);
    if (format_ != nullptr) {
      const std::size_t begin = out.size();
      format_->append(out, event.args);
      if (looks_) make_visible(out, begin);
    }
    if (event.extension != nullptr) [[unlikely]]
      append_rare(out, event);
    if (pairs_ != nullptr) [[unlikely]]
      pairs_->append(out, event, clocks);
    if (event.order_unknown) [[unlikely]]
      out.write(" [order unknown]");
    out.put('\n');
  }

 private:
  void append_rare(TextSink& out, const LineEvent& event) const {
    if (event.cut()) out.write(" [cut]");
    const std::size_t begin = out.size();
    append_context_pairs(out, event.context(), {});
    if (!raw_) make_visible(out, begin);
  }

  const char* head_ = nullptr;
  std::size_t head_bytes_;
  std::shared_ptr<const MessageFormat> format_;
  bool looks_;  // makes control characters of messages visible
  bool raw_;    // leaves those of contexts as they are
  std::shared_ptr<const LineText> pairs_;
  // The head. A short one is stored here, so that it is in the cache with the other members.
  std::array<char, TextSink::kSlack> short_head_{};
  std::string long_head_;  // otherwise; followed by TextSink::kSlack bytes
};

}  // namespace

std::string TextLines::shown(std::string_view text) const {
  return raw_ ? std::string(text) : visible(text);
}

std::shared_ptr<const LineText> TextLines::lines_of(const Event& record,
                                                    const SiteMessage& message) const {
  const Site& site = *record.record.site;
  const std::string level =
      colored(shm::level_name(site.level), color_ ? color_of(site.level) : std::string_view());
  const bool has_place =
      !site.file.empty() || site.line != 0;  // false for records of other formats
  const std::string file = has_place ? shown(base_name(site.file)) : "-";
  std::string head =
      fmt::format(" {}:{} {} {}", file, site.line, level, shown(thread_text(record.stream)));
  if (message.is_fixed()) {
    TextSink text;
    message.append(text, {});
    head += shown(text.text());
  }
  return std::make_shared<TextLine>(std::move(head),
                                    message.is_fixed() ? nullptr : message.format(),
                                    !raw_ && !is_printable(site), pairs_of(record, message), raw_);
}

std::shared_ptr<const LineText> TextLines::line_of_loss(const Event& loss) const {
  return std::make_shared<TextLine>(
      fmt::format(" -:0 {} {}{}", colored("LOST", color_ ? kLossColor : ""),
                  shown(thread_text(loss.stream)), loss_text(loss)),
      nullptr, false, nullptr);
}

std::shared_ptr<const LineText> TextLines::pairs_of(const Event& record,
                                                    const SiteMessage& message) const {
  const Site& site = *record.record.site;
  // The line of a span says how long it was.
  const std::uint32_t of_kind =
      site.kind == shm::SiteKind::kSpan ? property_bit(Property::kDurationNs) : 0;
  const std::uint32_t shown = shown_ | of_kind;
  if (shown == 0) return nullptr;
  const PartStyle style{.encoding = raw_ ? make_logfmt_value : make_visible_logfmt_value};
  LineParts parts(record, &message);
  for (const PropertyEntry& entry : properties()) {
    if ((shown & property_bit(entry.property)) == 0) continue;
    if (entry.property == Property::kProcessor) {
      parts.processor(PartKind::kProcessorPair);
      continue;
    }
    if (is_of_extension(entry.property) || !line_has(entry.property, record, &site)) continue;
    parts.text(fmt::format(" {}=", entry.name));
    add_column(parts, {ColumnKind::kProperty, {}, entry.property}, record, &message, style);
  }
  parts.pairs(shown);
  return std::make_shared<ComposedLine>(std::move(parts));
}

std::optional<std::uint32_t> parse_shown(std::string_view list, std::string* why) {
  if (list == "all") return kAllShown;
  std::uint32_t shown = 0;
  for (;;) {
    const std::size_t comma = list.find(',');
    const std::string_view name = list.substr(0, comma);
    const PropertyEntry* const entry = find_property(name);
    if (entry == nullptr) {
      *why = fmt::format("--show: unknown property '{}'; use all, or names out of {}", name,
                         property_names());
      return std::nullopt;
    }
    shown |= property_bit(entry->property);
    if (comma == std::string_view::npos) return shown;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace ringside::trace
