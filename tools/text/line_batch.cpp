#include "tools/text/line_batch.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "trace-format/lines/line_event.hpp"

namespace ringside::tool {

void LineBatch::clear() {
  items_.clear();
  values_.clear();
  texts_.clear();
  extensions_.clear();
  clocks_.clear();
  contexts_.clear();
  kept_.clear();
  recent_.fill(nullptr);
}

bool LineBatch::add(const trace::Event& event, const std::shared_ptr<const trace::LineText>& text) {
  if (items_.size() == kMostItems) return false;
  if (text->has_arguments() && !copy_values(event.record.args)) return false;
  // Rarely more than once each: all threads write to a text's count of owners.
  const trace::LineText*& recent = recent_[place_of(text.get())];
  if (recent != text.get()) {
    recent = text.get();
    kept_.push_back(text);
  }
  std::uint32_t extension = 0;
  if (const auto* const some = trace::LineEvent::extension_of(event.record)) [[unlikely]] {
    extensions_.push_back(*some);
    if (some->context != nullptr) extensions_.back().context = copy_of(*some->context);
    extension = static_cast<std::uint32_t>(extensions_.size());
  }
  if (event.clock_error_ns) [[unlikely]]
    clocks_.push_back({*event.clock_error_ns, event.order_unknown});
  const auto clock = static_cast<std::uint32_t>(event.clock_error_ns ? clocks_.size() : 0);
  items_.push_back({event.unix_ns, event.record.sequence, text.get(),
                    static_cast<std::uint32_t>(values_.size()), extension, event.record.processor,
                    clock});
  return true;
}

std::size_t LineBatch::place_of(const trace::LineText* text) {
  constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15;
  return reinterpret_cast<std::uintptr_t>(text) * kSpread >> (64 - kRecentBits);
}

bool LineBatch::copy_values(std::span<const trace::Value> args) {
  std::size_t text_bytes = 0;
  for (const trace::Value& value : args) text_bytes += value.text.size();
  const std::size_t text_room = std::max(texts_.capacity(), kTextBytes) - texts_.size();
  if (!items_.empty() && (values_.size() + args.size() > kMostValues || text_bytes > text_room)) {
    return false;
  }
  const std::size_t begin = values_.size();
  values_.insert(values_.end(), args.begin(), args.end());
  if (text_bytes == 0) return true;
  // It may grow only now, while no value points into it.
  if (texts_.empty()) texts_.reserve(std::max(text_bytes, kTextBytes));
  for (trace::Value& value : std::span(values_).subspan(begin)) {
    if (value.text.empty()) continue;
    const std::size_t at = texts_.size();
    texts_.resize(at + value.text.size());
    std::memcpy(texts_.data() + at, value.text.data(), value.text.size());
    value.text = {texts_.data() + at, value.text.size()};
  }
  return true;
}

// Consecutive records mostly have the same one.
const trace::RecordContext* LineBatch::copy_of(const trace::RecordContext& context) {
  const auto same_value = [](const trace::Value& a, const trace::Value& b) {
    return a.type == b.type && a.u64 == b.u64 && a.high == b.high && a.text == b.text;
  };
  const auto same_name = [](const trace::Field& a, const trace::Field& b) {
    return a.name == b.name;
  };
  const std::vector<trace::Field>& fields = context.site->fields;
  if (!contexts_.empty()) {
    const OwnContext& last = *contexts_.back();
    if (std::equal(last.context.args.begin(), last.context.args.end(), context.args.begin(),
                   context.args.end(), same_value) &&
        std::equal(last.site.fields.begin(), last.site.fields.end(), fields.begin(), fields.end(),
                   same_name)) {
      return &last.context;
    }
  }
  contexts_.push_back(std::make_unique<OwnContext>());
  OwnContext& own = *contexts_.back();
  for (const trace::Field& field : fields) own.site.fields.emplace_back().name = field.name;
  own.context.site = &own.site;
  own.context.args = context.args;
  std::size_t text_bytes = 0;
  for (const trace::Value& value : context.args) text_bytes += value.text.size();
  own.texts.reserve(text_bytes);
  for (trace::Value& value : own.context.args) {
    const std::size_t at = own.texts.size();
    own.texts += value.text;
    value.text = std::string_view(own.texts).substr(at);
  }
  return &own.context;
}

void LineBatch::append(trace::TextSink& out, trace::LineClocks& clocks) const {
  std::size_t values = 0;
  for (const Item& item : items_) {
    trace::LineEvent event{
        item.unix_ns, item.sequence, std::span(values_).subspan(values, item.values_end - values),
        item.extension == 0 ? nullptr : &extensions_[item.extension - 1], item.processor};
    if (item.clock != 0) [[unlikely]] {
      event.clock_error_ns = clocks_[item.clock - 1].error_ns;
      event.order_unknown = clocks_[item.clock - 1].order_unknown;
    }
    item.text->append(out, event, clocks);
    values = item.values_end;
  }
}

}  // namespace ringside::tool
